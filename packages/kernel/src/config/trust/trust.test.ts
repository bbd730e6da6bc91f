import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { GATES } from "../../change/testing/scratch-kernel.ts";
import { scratch, type Scratch } from "../../host/git/testing/scratch.ts";
import { temporaryFolder } from "../../host/git/testing/scratch.ts";
import { openRepositoryTrust, trustInFiles } from "../../repository-trust.ts";
import { expect, test, vi } from "vitest";
import { POLICY_YAML } from "../testing/samples.ts";
import { trustedRepositories } from "./store.ts";
import { requireTrust } from "./trust.ts";

const FILES = { "slipway/gates.yaml": GATES, "slipway/policy.yaml": POLICY_YAML };

function place(files: Readonly<Record<string, string>> = {}) {
  const user: Scratch = scratch({ ...FILES, ...files });
  const home = temporaryFolder();
  const at = { cwd: user.root, env: { PATH: process.env["PATH"], HOME: home, XDG_CONFIG_HOME: join(home, "config") } };
  return { user, home, at, folder: join(home, "config/slipway/trust"), open: () => openRepositoryTrust(at) };
}

test("a configuration is trusted after a person's yes, and refused with its next action before", async () => {
  const { open } = place();
  const trust = await open();
  await expect(requireTrust(trust)).rejects.toMatchObject({
    code: "configuration_not_trusted",
    message: expect.stringContaining("and you have not trusted it"),
    details: { requires_human: true, suggested_next_actions: [expect.stringContaining("slipway trust"), expect.any(String)] },
  });
  const no = vi.fn(async () => false);
  await expect(requireTrust(trust, no)).rejects.toMatchObject({ code: "configuration_not_trusted" });
  await requireTrust(trust, async (asked) => {
    await asked.keep("kim", ["a line"]);
    return true;
  });
  expect(no).toHaveBeenCalledOnce();
  await requireTrust(await open(), no);
  expect(no).toHaveBeenCalledOnce();
  expect(await trust.last()).toMatchObject({ by: "kim", powers: ["a line"], digest: trust.subject.digest });
});

test("a change names the files that changed; twenty earlier ones stay trusted", async () => {
  const { user, open } = place();
  const first = await open();
  await first.keep("kim", []);
  for (let number = 1; number <= 20; number++) {
    user.write("slipway/gates.yaml", `${GATES}# ${number}\n`);
    user.commit();
    const next = await open();
    await expect(requireTrust(next)).rejects.toMatchObject({
      message: expect.stringMatching(/has changed since.*: slipway\/gates\.yaml\.$/),
    });
    await next.keep("kim", []);
  }
  user.write("slipway/gates.yaml", `${GATES}# 1\n`);
  user.commit();
  await requireTrust(await open());
  expect(await first.trusted()).toBe(false);
});

test("the working tree counts until something is committed, and files that a command has written count alone", async () => {
  const { user, at, open } = place();
  const written = await trustInFiles(at, FILES);
  await written.keep("kim", []);
  expect([(await open()).branch, await (await open()).trusted()]).toEqual(["main", true]);
  user.git("rm", "-q", "-r", "--cached", "slipway");
  user.git("commit", "-q", "-m", "without");
  const onDisk = await open();
  expect([onDisk.branch, await onDisk.trusted()]).toEqual([null, true]);
  user.write("slipway/other.toml", "x = 1\n");
  mkdirSync(join(user.root, "slipway/folder.yaml"));
  expect(await (await open()).trusted()).toBe(false);
  rmSync(join(user.root, "slipway"), { recursive: true });
  await expect(open()).rejects.toMatchObject({ code: "config_missing" });
});

test("a file that a command of agents.yaml names counts, if it is a file of the checkout", async () => {
  const command = ["./agent.sh", "src", "/etc/passwd", "../outside", "missing.sh"];
  const runtime = { custom: { command }, claude: { command: ["/bin/sh"] } };
  const { user, open } = place({
    "agent.sh": "exit 0\n",
    "slipway/agents.yaml": JSON.stringify({ version: 1, roles: {}, runtime }),
  });
  const before = await open();
  expect(Object.keys(before.subject.files)).toEqual(["agent.sh", "slipway/agents.yaml", "slipway/gates.yaml", "slipway/policy.yaml"]);
  user.write("missing.sh", "now it exists\n");
  expect((await open()).subject.digest).not.toBe(before.subject.digest);
});

test("what is kept is listed, forgotten, and dropped with its repository", async () => {
  const { open, home, folder, user } = place();
  const trust = await open();
  expect(await trust.forget()).toBe(false);
  expect(await trustedRepositories(join(home, "config"))).toEqual([]);
  await trust.keep("kim", []);
  expect(await trustedRepositories(join(home, "config"))).toMatchObject([{ repository: join(user.root, ".git") }]);
  const other = { cwd: scratch(FILES).root, env: { PATH: process.env["PATH"], HOME: home, XDG_CONFIG_HOME: join(home, "config") } };
  rmSync(user.root, { recursive: true });
  const second = await openRepositoryTrust(other);
  await second.keep("kim", []);
  expect(readdirSync(folder)).toHaveLength(1);
  expect(await second.forget()).toBe(true);
  expect(readdirSync(folder)).toEqual([]);
});

test.each<readonly [string, RegExp, (file: string) => void]>([
  ["is not JSON", /changed outside Slipway/, (file) => writeFileSync(file, "no")],
  ["has another form", /changed outside Slipway/, (file) => writeFileSync(file, "{}")],
  ["is of another repository", /changed outside Slipway/, (file) => writeFileSync(file, readFileSync(file, "utf8").replace(".git", ".hg"))],
  ["may be read by others", /Others may read it/, (file) => chmodSync(file, 0o644)],
  [
    "is a link",
    /symbolic link/,
    (file) => {
      writeFileSync(`${file}.real`, readFileSync(file), { mode: 0o600 });
      rmSync(file);
      symlinkSync(`${file}.real`, file);
    },
  ],
])("a kept file that %s is refused", async (_what, message, spoil) => {
  const { open, folder } = place();
  const trust = await open();
  await trust.keep("kim", []);
  const [name = ""] = readdirSync(folder);
  spoil(join(folder, name));
  await expect(trust.trusted()).rejects.toMatchObject({ code: "configuration_not_trusted", message: expect.stringMatching(message) });
  expect(existsSync(join(folder, name))).toBe(true);
});
