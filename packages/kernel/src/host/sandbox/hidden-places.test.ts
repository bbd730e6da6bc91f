import { mkdirSync, symlinkSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../git/testing/scratch.ts";
import { assertShowable, hiddenBy, hiddenPlaces } from "./hidden-places.ts";

const HOME = "/home/kim";
const hidden = hiddenPlaces({ HOME, XDG_CONFIG_HOME: "/home/kim/.config" });

test.each([
  ["/run", "/run"],
  ["/var/run/docker.sock", "/var/run"],
  ["/run/user/1000", "/run"],
  ["/proc", "/proc"],
  ["/dev/shm", "/dev"],
  ["/sys", "/sys"],
  ["/", "/run"],
  ["/tmp", "/tmp"],
  ["/home", `${HOME}/.config/slipway`],
  [HOME, `${HOME}/.config/slipway`],
  [`${HOME}/.config`, `${HOME}/.config/slipway`],
  [`${HOME}/.config/slipway/keys`, `${HOME}/.config/slipway`],
  [`${HOME}/.ssh`, `${HOME}/.ssh`],
  [`${HOME}/.ssh/id_ed25519`, `${HOME}/.ssh`],
  [`${HOME}/.aws`, `${HOME}/.aws`],
  [`${HOME}/.config/gcloud`, `${HOME}/.config/gcloud`],
  [`${HOME}/.local/share`, `${HOME}/.local/share/keyrings`],
])("B19: %s is hidden, because of %s", (path, place) => {
  expect(hiddenBy(path, hidden)).toBe(place);
});

test.each(["/usr/local", "/opt/tool", "/tmp/tool", "/etc/ssl", `${HOME}/.cargo`, `${HOME}/.nvm/versions`, `${HOME}/.sshkeys`])(
  "%s is not hidden",
  (path) => {
    expect(hiddenBy(path, hidden)).toBe(null);
  },
);

test("a hidden place that is a link is hidden where it leads to, and a link into it is hidden", () => {
  const home = temporaryFolder();
  mkdirSync(join(home, "elsewhere/keys"), { recursive: true });
  symlinkSync(join(home, "elsewhere"), join(home, ".ssh"));
  symlinkSync(join(home, ".ssh/keys"), join(home, "tools"));
  const places = hiddenPlaces({ HOME: home });
  expect(hiddenBy(join(home, "elsewhere"), places)).not.toBe(null);
  expect(hiddenBy(join(home, "tools"), places)).not.toBe(null);
  expect(() => assertShowable([join(home, "tools")], places)).toThrow(/cannot be shown in the sandbox/);
  expect(() => assertShowable(["/usr"], places)).not.toThrow();
});

test("B18: a socket itself is hidden", async () => {
  const socket = join(temporaryFolder(), "daemon.sock");
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  onTestFinished(() => void server.close());
  expect(hiddenBy(socket, hidden)).toBe(socket);
});
