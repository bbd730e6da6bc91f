import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { letters } from "slipway/testing/project";
import { layoutAt } from "@slipway/kernel/host/layout";
import { describe, expect, test } from "vitest";
import { slipway } from "../bad-input/place.ts";
import { giveTo } from "./ordinary-user.ts";

const STRANGER = 4242;
const isRoot = process.getuid?.() === 0;
if (!isRoot) console.log("skipped: only root can give files to another user");

describe.runIf(isRoot)("B29: a repository of another user", () => {
  test("is refused like by git, with how to allow it, and starts nothing and writes nothing", async () => {
    const project = letters();
    giveTo(STRANGER, project.root);
    for (const argv of [["agents"], ["gates", "fast"], ["run", "letters.spec.md"], ["trust", "--yes"], ["mcp"]]) {
      const { code, stderr } = await slipway(project, argv, { trusted: false });
      expect(stderr).toMatch(new RegExp(`^repository_unsuitable: .*belongs to user ${STRANGER}`));
      expect(stderr).toContain(`git config --global --add safe.directory ${project.root}`);
      expect(code).toBe(2);
    }
    const doctor = await slipway(project, ["doctor"], { trusted: false });
    expect(doctor.stdout).toMatch(/problem +repository +.*belongs to user/);
    expect(existsSync(layoutAt(project.root).truth)).toBe(false);
    expect((await slipway(project, ["protocols"])).code).toBe(0);
  });

  test("is used once the user's own git configuration names it, never because its own does", async () => {
    const project = letters();
    project.git("config", "safe.directory", "*");
    giveTo(STRANGER, project.root);
    expect((await slipway(project, ["agents"])).code).toBe(2);
    for (const [value, code] of [
      [`${project.root}/inside`, 2],
      ["/elsewhere/*", 2],
      [project.root, 0],
      [join(project.root, "..", "*"), 0],
      ["*", 0],
      ["*\n\tdirectory =", 2],
    ] as const) {
      writeFileSync(join(project.home, ".gitconfig"), `[safe]\n\tdirectory = ${value}\n`);
      expect((await slipway(project, ["agents"])).code, value).toBe(code);
    }
  });

  test("is the user's own under sudo", async () => {
    const project = letters();
    giveTo(STRANGER, project.root);
    expect((await slipway(project, ["agents"], { env: { SUDO_UID: String(STRANGER) } })).code).toBe(0);
    expect((await slipway(project, ["agents"], { env: { SUDO_UID: "1" } })).code).toBe(2);
  });

  test("B31: a key or a word of trust that belongs to another user is refused", async () => {
    const project = letters();
    expect((await project.run()).code).toBe(23);
    const key = join(project.home, "config/slipway/keys/approval.pem");
    chownSync(key, STRANGER, STRANGER);
    const { code, stderr } = await project.slipway(["approve", "letters", "--yes"]);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^approval_invalid: .*belongs to user 4242/)]);
    const [trust = ""] = readdirSync(join(project.home, "config/slipway/trust"));
    chownSync(join(project.home, "config/slipway/trust", trust), STRANGER, STRANGER);
    expect((await slipway(project, ["agents"], { trusted: false })).stderr).toMatch(/^configuration_not_trusted: .*belongs to user 4242/);
  });
});

test("B28: init does not write through a folder that is a link", async () => {
  const project = letters();
  const outside = join(project.home, "outside");
  mkdirSync(outside);
  project.git("rm", "--quiet", "-r", "slipway");
  symlinkSync(outside, join(project.root, "slipway"));
  const { code, stderr } = await project.slipway(["init", "--yes", "--force", "--test", "sh check.sh"]);
  expect([code, stderr]).toEqual([2, expect.stringMatching(/^path_out_of_bounds: slipway is a symbolic link/)]);
  expect(readdirSync(outside)).toEqual([]);
});

test("B30: under umask 0 no command makes a folder that others may change, and one that is open is closed", async () => {
  const before = process.umask(0);
  try {
    const project = letters();
    const { truth } = layoutAt(project.root);
    expect((await slipway(project, ["agents"])).code).toBe(0);
    expect(statSync(truth).mode & 0o777, "after agents").toBe(0o700);
    chmodSync(truth, 0o777);
    expect((await slipway(project, ["gates", "fast"])).code).toBe(0);
    for (const folder of [
      truth,
      join(project.home, "state/slipway"),
      join(project.home, "config/slipway/trust"),
      join(project.home, "config/slipway/keys"),
    ])
      expect(statSync(folder).mode & 0o777, folder).toBe(0o700);
  } finally {
    process.umask(before);
  }
});
