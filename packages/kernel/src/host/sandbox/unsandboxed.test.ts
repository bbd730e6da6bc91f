import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, lstatSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { describeHost } from "./host.ts";
import { tryEscapes } from "./self-test.ts";
import { taggedTree } from "./tagged-tree.ts";
import { hostProcessesNamed, runCommand, runNode, runShell, scratchFolder } from "./testing/scratch.ts";
import { unsandboxed } from "./unsandboxed.ts";

const sandbox = unsandboxed({ reason: "a test of what is left without walls", by: "the test" });

describe("without a sandbox", () => {
  it("needs a reason and a name, and keeps both", () => {
    expect(sandbox).toMatchObject({ kind: "none", override: { reason: "a test of what is left without walls", by: "the test" } });
    expect(() => unsandboxed({ reason: " ", by: "me" })).toThrow(expect.objectContaining({ code: "sandbox_unavailable" }));
    expect(() => unsandboxed({ reason: "why", by: "" })).toThrow(expect.objectContaining({ code: "sandbox_unavailable" }));
  });

  it("the self-test notices the missing isolation", async () => {
    const probes = await tryEscapes(sandbox, describeHost("/usr/bin/bwrap", ""));
    const failed = probes.filter(({ passed }) => !passed).map(({ name }) => name);
    expect(failed).toEqual(
      expect.arrayContaining([
        "no environment of a host process can be read",
        "no host process is seen",
        "nothing outside the worktree can be written",
        ".git can neither be read nor written",
        "no TCP port of the host is reached",
        "no socket of the host is reached",
        "a command cannot fake its exit code",
        "process 1 can neither be traced nor read",
      ]),
    );
  });

  it("attack 26: the environment is clean", async () => {
    process.env.SLIPWAY_TEST_CANARY = "host-only";
    onTestFinished(() => void delete process.env.SLIPWAY_TEST_CANARY);
    const { stdout } = await runNode(sandbox, scratchFolder(), "console.log(JSON.stringify(process.env))", { env: { OWN: "1" } });
    const seen = JSON.parse(stdout) as Record<string, string>;
    expect(Object.keys(seen).toSorted()).toEqual(["HOME", "OWN", "PATH", "SLIPWAY_PROCESS_TAG"]);
    expect(seen.HOME).not.toBe(process.env["HOME"]);
    expect(readdirSync(seen.HOME ?? "")).toEqual([]);
    expect((await runShell(sandbox, scratchFolder(), "echo $HOME", { env: { HOME: "/given" } })).stdout).toBe("/given\n");
  });

  it("attack 28: daemons that left the session are found by their tag and ended", async () => {
    const worktree = scratchFolder();
    const mark = randomUUID();
    const daemon = "echo up > beat; while :; do sleep 0.01; done";
    const ran = await runShell(
      sandbox,
      worktree,
      `setsid sh -c '${daemon}' ${mark} >/dev/null 2>&1 </dev/null & while [ ! -s beat ]; do sleep 0.01; done; exit 4`,
    );
    expect(ran.exitCode).toBe(4);
    expect(hostProcessesNamed(mark)).toEqual([]);
  });

  it("a timeout ends the whole tree, also what ignores SIGTERM", async () => {
    const worktree = scratchFolder();
    const mark = randomUUID();
    const script = `trap '' TERM; setsid sh -c "trap '' TERM; echo up > beat; while :; do sleep 0.01; done" ${mark} & while :; do sleep 0.05; done`;
    const ran = await runShell(sandbox, worktree, script, { timeoutMs: 2_000, killGraceMs: 50 });
    expect(ran).toMatchObject({ timedOut: true, exitCode: null, signal: "SIGKILL" });
    expect(existsSync(join(worktree, "beat"))).toBe(true);
    expect(hostProcessesNamed(mark)).toEqual([]);
  });

  it("attack 31: a fork bomb, a flood and a large file are bounded", async () => {
    const bomb = "f() { d=$1; if [ $d -lt 7 ]; then f $((d+1)) & f $((d+1)) & fi; sleep 20; }; f 0";
    expect(await runShell(sandbox, scratchFolder(), bomb, { limits: { processes: 32 } })).toMatchObject({ limit: "processes" });
    expect(await runShell(sandbox, scratchFolder(), "yes", { limits: { outputBytes: 100_000 } })).toMatchObject({ limit: "output" });
    const file = await runShell(sandbox, scratchFolder(), "exec dd if=/dev/zero of=big bs=64k count=64 2>/dev/null", {
      limits: { fileBytes: 100_000 },
    });
    expect(file).toMatchObject({ limit: "disk", signal: "SIGXFSZ" });
  });

  it("a program that does not exist never starts", async () => {
    expect((await runCommand(sandbox, scratchFolder(), ["no-such-program"])).spawnError).toMatchObject({ code: "ENOENT" });
    expect((await runCommand(sandbox, scratchFolder(), ["./no-such-program"])).spawnError?.message).toMatch(/was not found at/);
    expect((await runCommand(sandbox, scratchFolder(), ["true", "x".repeat(4_000_000)])).spawnError).toMatchObject({
      code: "E2BIG",
      transient: false,
    });
  });

  it("shared folders are links for the time of the command", async () => {
    const [cache, worktree] = [scratchFolder(), scratchFolder()];
    writeFileSync(join(cache, "module"), "content");
    mkdirSync(join(worktree, "own"));
    symlinkSync(cache, join(worktree, "left-over"));
    const shared = ["new", "own", "left-over"].map((to) => ({ from: cache, to }));
    const ran = await runShell(sandbox, worktree, "cat new/module; ls own", { shared });
    expect(ran.stdout).toBe("content");
    expect(readdirSync(worktree)).toEqual(["own"]);
    expect(lstatSync(join(worktree, "own")).isDirectory()).toBe(true);
    await expect(runShell(sandbox, worktree, "true", { shared: [{ from: "/no/such/cache", to: "x" }] })).rejects.toMatchObject({
      code: "input_path_not_found",
    });
    await runShell(sandbox, worktree, "rm new", { shared: [{ from: cache, to: "new" }] });
    expect(readdirSync(worktree)).toEqual(["own"]);
  });

  it("a shared link stays for a second command while the first one ends", async () => {
    const [cache, worktree] = [scratchFolder(), scratchFolder()];
    writeFileSync(join(cache, "module"), "content");
    const shared = [{ from: cache, to: "cache" }];
    const limits = { shared, timeoutMs: 60_000 };
    const first = runShell(sandbox, worktree, "while [ ! -s up ]; do sleep 0.01; done", limits);
    const second = runShell(
      sandbox,
      worktree,
      "echo up > up; while [ ! -e ended ]; do sleep 0.01; done; rm up ended; cat cache/module",
      limits,
    );
    expect((await first).exitCode).toBe(0);
    writeFileSync(join(worktree, "ended"), "");
    expect((await second).stdout).toBe("content");
    expect(readdirSync(worktree)).toEqual([]);
  });

  it("without a process table the process group decides", async () => {
    const child = spawn("sleep", ["20"], { detached: true, stdio: "ignore" });
    const tree = taggedTree(child.pid ?? 0, "tag", false);
    expect(tree.gone()).toBe(false);
    tree.kill();
    await new Promise((resolve) => child.once("exit", resolve));
    expect(tree.gone()).toBe(true);
  });
});
