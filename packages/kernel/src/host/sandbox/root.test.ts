import { chownSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { runInBubblewrap } from "./bubblewrap.ts";
import type { Sandbox } from "./contract.ts";
import { probeSandbox } from "./probe.ts";
import { openSandbox } from "./sandbox.ts";
import { subordinateUser } from "./subordinate.ts";
import { runShell, sandboxWorksHere, scratchFolder } from "./testing/scratch.ts";

describe("the user of a command that root starts", () => {
  const files =
    (map: string, subuid = "", subgid = "") =>
    (path: string) =>
      ({ "/proc/self/uid_map": map, "/etc/subuid": subuid, "/etc/subgid": subgid })[path] ?? "";
  const initial = "         0          0 4294967295\n";

  it("is the last of root's subordinate ids, or an unassigned one", () => {
    expect(subordinateUser(files(initial, "kim:100000:65536\nroot:1000000:65536\n", "root:1:1\n"), 0)).toEqual({ uid: 1_065_535, gid: 1 });
    expect(subordinateUser(files(initial, "kim:100000:65536\n"), 0)).toEqual({ uid: 1_900_000_000, gid: 1_900_000_000 });
    expect(subordinateUser(files(initial, "root:0:1\n", "root:4294967295:9\n"), 0)).toEqual({ uid: 1_900_000_000, gid: 1_900_000_000 });
  });

  it("is null for root in a user namespace, and for a non-root user", () => {
    expect(subordinateUser(files("0 100000 65536\n"), 0)).toBeNull();
    expect(subordinateUser(files(initial), 1000)).toBeNull();
  });
});

describe.skipIf(!sandboxWorksHere() || process.getuid?.() !== 0)("a command that root starts", () => {
  let sandbox: Sandbox;
  beforeAll(async () => void (sandbox = await openSandbox()));

  it("B1: is not root on the host: root's files belong to another user", async () => {
    const { stdout } = await runShell(sandbox, scratchFolder(), "stat -c %u:%g . /usr /dev/null /proc/sys /proc/sys/kernel/core_pattern");
    expect(stdout).toBe(`1000:1000\n${"65534:65534\n".repeat(4)}`);
  });

  it("B1: cannot change a device of the host", async () => {
    const before = statSync("/dev/full").mode;
    // Sets the mode that it already has, so that a failing test does not break the device.
    const { stderr, exitCode } = await runShell(sandbox, scratchFolder(), "chmod 666 /dev/full");
    expect(stderr).toContain("Operation not permitted");
    expect(exitCode).toBe(1);
    expect(statSync("/dev/full").mode).toBe(before);
  });

  it("owns the worktree and its home, and its files there belong to root on the host", async () => {
    const [folder, home] = [scratchFolder(), scratchFolder()];
    const worktree = join(folder, "closed", "worktree");
    mkdirSync(worktree, { recursive: true, mode: 0o700 });
    writeFileSync(join(worktree, "secret"), "own\n", { mode: 0o600 });
    const script = "cat secret; stat -c %u:%g secret; mkdir a; echo x > a/b; mv secret moved; chmod 640 moved; echo y > $HOME/c";
    const ran = await runShell(sandbox, worktree, script, { home });
    expect(ran).toMatchObject({ stdout: "own\n1000:1000\n", stderr: "", exitCode: 0 });
    for (const path of [join(worktree, "a", "b"), join(worktree, "moved"), join(home, "c")])
      expect(statSync(path)).toMatchObject({ uid: 0, gid: 0 });
  });

  it("sees files of other users as such, and may not write them", async () => {
    const worktree = scratchFolder();
    writeFileSync(join(worktree, "theirs"), "theirs\n", { mode: 0o644 });
    writeFileSync(join(worktree, "closed"), "closed\n", { mode: 0o600 });
    for (const name of ["theirs", "closed"]) chownSync(join(worktree, name), 4242, 4242);
    const { stdout } = await runShell(sandbox, worktree, "cat theirs closed; echo x >> theirs; mv theirs away; echo $?");
    expect(stdout).toBe("theirs\n0\n");
    expect(readFileSync(join(worktree, "away"), "utf8")).toBe("theirs\n");
    expect(statSync(join(worktree, "away")).uid).toBe(4242);
  });

  it("sees folders and files that only root may access", async () => {
    const [worktree, tools] = [scratchFolder(), scratchFolder()];
    const [shown, file] = [join(tools, "shown"), join(tools, "file")];
    mkdirSync(shown, { mode: 0o700 });
    for (const path of [join(shown, "inner"), file]) writeFileSync(path, "read\n", { mode: 0o600 });
    const shared = [{ from: file, to: "deep/file" }];
    const { stdout } = await runShell(sandbox, worktree, `cat ${shown}/inner deep/file; echo x > ${shown}/inner`, {
      readOnly: [shown],
      shared,
    });
    expect(stdout).toBe("read\nread\n");
    expect(readdirSync(worktree)).toEqual([]);
  });

  it("B15: starts no more tasks than are allowed", async () => {
    const { host } = await probeSandbox();
    if (host === null) throw new Error("no sandbox");
    const limited: Sandbox = { kind: "bubblewrap", run: (request) => runInBubblewrap(request, host, { limits: { processes: 512 } }) };
    expect((await runShell(limited, scratchFolder(), "grep processes /proc/self/limits")).stdout).toMatch(/ 5120 +5120 /);
  });

  it("is refused if its worktree cannot be idmapped", async () => {
    const { spawnError } = await runShell(sandbox, "/proc/self/task", "true", { git: "none" });
    expect(spawnError).toMatchObject({ code: "SANDBOX_SETUP", message: expect.stringContaining("run Slipway as an ordinary user") });
  });
});
