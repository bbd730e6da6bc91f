import { execFile, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { clearStaleLock } from "../locks.ts";
import { openGitSession } from "./git-session.ts";
import { differences, moveRef, readBlob, readObjects, treeOf } from "./git-queries.ts";
import { waitingProcesses } from "./prestarted-git.ts";
import { scratch } from "../testing/scratch.ts";

const echo = () =>
  openGitSession("echo", () =>
    spawn("sh", ["-c", 'while read -r line; do echo "$line"; [ "$line" = die ] && exit 3; done'], { detached: true }),
  );

describe("a git session", () => {
  test("answers in order, with the same process", async () => {
    let starts = 0;
    const staying = openGitSession("cat", () => {
      starts++;
      return spawn("cat", [], { detached: true });
    });
    const answers = await Promise.all(["one", "two", "three"].map((word) => staying.ask(`${word}\n`, "\n")));
    expect(answers.map(String)).toEqual(["one\n", "two\n", "three\n"]);
    expect(starts).toBe(1);
  });

  test("reports its message if the process ends instead of answering, and starts another for the next question", async () => {
    const staying = echo();
    await expect(staying.ask("die\n", "never")).rejects.toMatchObject({ code: "git_failed" });
    expect(String(await staying.ask("again\n", "again\n"))).toBe("again\n");
    const silent = openGitSession("git", () => spawn("sh", ["-c", "echo fatal: no >&2; exit 1"], { detached: true }));
    await expect(silent.ask("x\n", "\n")).rejects.toThrow("git git failed: fatal: no");
    const missing = openGitSession("nothing", () => {
      const child = spawn("/nowhere/at/all", [], { detached: true });
      child.stdin?.on("error", () => undefined);
      return child;
    });
    await expect(missing.ask("x\n", "\n")).rejects.toThrow("ENOENT");
  });

  test("returns a long answer in many chunks completely", async () => {
    const staying = openGitSession("yes", () => spawn("sh", ["-c", 'read -r n; head -c "$n" /dev/zero; echo end'], { detached: true }));
    expect((await staying.ask("3000000\n", "end\n")).length).toBe(3_000_004);
  });

  test("answers a question that arrives during the end with another process", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const staying = echo();
    await staying.ask("x\n", "x\n");
    vi.advanceTimersByTime(60_000);
    expect(String(await staying.ask("again\n", "again\n"))).toBe("again\n");
  });

  test("ends when it is idle, and with its owner", async () => {
    const others = new Set(waitingProcesses);
    const staying = echo();
    await staying.ask("x\n", "x\n");
    const pid = [...waitingProcesses].find((one) => !others.has(one));
    await expect.poll(() => existsSync(`/proc/${pid}`), { timeout: 10_000 }).toBe(false);
    expect(waitingProcesses.has(pid ?? 0)).toBe(false);
    const script = `
      import { spawn } from "node:child_process";
      import { openGitSession } from ${JSON.stringify(join(import.meta.dirname, "git-session.ts"))};
      let child;
      const staying = openGitSession("cat", () => (child = spawn("cat", [], { detached: true })));
      await staying.ask("x\\n", "x\\n");
      console.log(child.pid);`;
    const args = ["--conditions=slipway-source", "--input-type=module-typescript", "--eval", script];
    const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 20_000 });
    await expect.poll(() => existsSync(`/proc/${stdout.trim()}`), { timeout: 10_000 }).toBe(false);
  });

  test("does not prevent the clearing of a stale lock while idle", async () => {
    const user = scratch();
    const repo = await user.open();
    await treeOf(repo, user.git("rev-parse", "HEAD"));
    user.write(".git/refs/heads/left.lock", "");
    expect(await clearStaleLock(repo, join(user.root, ".git/refs/heads/left.lock"))).toBe("cleared");
  });
});

describe("git queries", () => {
  test("objects by name, and null for missing ones", async () => {
    const user = scratch({ "a.txt": "one\nend\n", "b.txt": "" });
    const repo = await user.open();
    const [a, none, b] = await readObjects(repo, [
      user.git("rev-parse", "HEAD:a.txt"),
      "0".repeat(40),
      user.git("rev-parse", "HEAD:b.txt"),
    ]);
    expect([a?.bytes.toString(), none, b?.bytes.toString()]).toEqual(["one\nend\n", null, ""]);
    expect(await readObjects(repo, [])).toEqual([]);
    expect(await treeOf(repo, user.git("rev-parse", "HEAD"))).toBe(user.git("rev-parse", "HEAD^{tree}"));
    await expect(treeOf(repo, user.git("rev-parse", "HEAD:a.txt"))).rejects.toMatchObject({ code: "object_missing" });
    expect(await readBlob(repo, user.git("rev-parse", "HEAD:a.txt"))).toEqual(a?.bytes);
    for (const none of ["0".repeat(40), user.git("rev-parse", "HEAD")])
      await expect(readBlob(repo, none)).rejects.toMatchObject({ code: "object_missing", message: expect.stringContaining(none) });
  });

  test("differences of trees, also of objects that were added after the start", async () => {
    const user = scratch({ "a.txt": "one\n" });
    const repo = await user.open();
    const before = user.git("rev-parse", "HEAD^{tree}");
    expect((await differences(repo, before, before)).length).toBe(0);
    user.write("a.txt", "two\n");
    user.commit();
    user.git("gc", "--quiet");
    expect(String(await differences(repo, before, user.git("rev-parse", "HEAD^{tree}")))).toContain("\n-one\n+two\n");
  });

  test("a ref is moved by compare-and-swap", async () => {
    const user = scratch();
    const repo = await user.open();
    const head = user.git("rev-parse", "HEAD");
    const commit = user.git("commit-tree", "-m", "other", "HEAD^{tree}");
    const ref = "refs/slipway/x/y";
    expect(await moveRef(repo, { ref, to: commit, from: null })).toBe(true);
    expect(await moveRef(repo, { ref, to: head, from: null })).toBe(false);
    expect(await moveRef(repo, { ref, to: head, from: commit })).toBe(true);
    await expect(moveRef(repo, { ref, to: commit, from: commit })).rejects.toMatchObject({ code: "git_failed" });
    expect(readFileSync(join(user.root, ".git", ref), "utf8").trim()).toBe(head);
  });
});
