import type { ChildProcess } from "node:child_process";
import { EventEmitter } from "node:events";
import { mkdirSync, rmSync, readlinkSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { DEFAULT_LIMITS } from "./contract.ts";
import { DiskGrowth } from "./disk.ts";
import { describeHost, findOnPath, isAtLeast, isExecutable } from "./host.ts";
import { isTransient } from "../launcher/protocol.ts";
import { signalProcess } from "../launcher/start.ts";
import { findInit } from "./namespace-tree.ts";
import { kindAt, resolveBelow, resolveWithoutLinks } from "./paths.ts";
import {
  YoungerProcesses,
  descendants,
  hasInEnvironment,
  isSameProcess,
  parseStat,
  readProcess,
  type ProcessEntry,
} from "./process-table.ts";
import { BubblewrapStatus } from "./status.ts";
import { supervise } from "./supervise.ts";
import { scratchFolder } from "./testing/scratch.ts";
import { exceededBy } from "./watch.ts";

function tree(): string {
  const worktree = scratchFolder();
  mkdirSync(join(worktree, "a", "b"), { recursive: true });
  symlinkSync("/etc", join(worktree, "out"));
  symlinkSync("a", join(worktree, "in"));
  symlinkSync("nowhere/at/all", join(worktree, "dangling"));
  symlinkSync("circle", join(worktree, "circle"));
  return worktree;
}

describe("paths below a worktree", () => {
  it("resolve to their real path, existing or not", () => {
    const worktree = tree();
    expect(resolveBelow(worktree, ".", "cwd")).toBe(worktree);
    expect(resolveBelow(worktree, "a/b", "cwd")).toBe(join(worktree, "a", "b"));
    expect(resolveBelow(worktree, "in/b", "cwd")).toBe(join(worktree, "a", "b"));
    expect(resolveBelow(worktree, "a/new/deep", "cwd")).toBe(join(worktree, "a", "new", "deep"));
    expect(resolveBelow(worktree, join(worktree, "a"), "cwd")).toBe(join(worktree, "a"));
  });

  it.each(["..", "../x", "a/../../x", "/etc", "out", "out/passwd", "out/new", "dangling", "dangling/x", "circle", "a\0b"])(
    "%j leads out",
    async (path) => {
      expect(() => resolveBelow(tree(), path, "cwd")).toThrow(expect.objectContaining({ code: "path_out_of_bounds" }));
    },
  );

  it("no text leads out of the worktree", () => {
    const worktree = tree();
    const part = fc.constantFrom("..", ".", "a", "b", "in", "out", "dangling", "", "/", "etc", "new", "circle");
    fc.assert(
      fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
        const resolved = resolvedOrCode(worktree, parts.join("/"));
        expect(resolved === "path_out_of_bounds" || resolved === worktree || resolved.startsWith(`${worktree}/`)).toBe(true);
      }),
    );
  });

  it("resolveWithoutLinks refuses every link", () => {
    const worktree = tree();
    expect(resolveWithoutLinks(worktree, "a/report.xml", "path")).toBe(join(worktree, "a", "report.xml"));
    for (const path of ["in/report.xml", "out/x", ".", "..", "a\0"]) {
      expect(() => resolveWithoutLinks(worktree, path, "path"), path).toThrow(expect.objectContaining({ code: "path_out_of_bounds" }));
    }
  });

  it("kinds", () => {
    const worktree = tree();
    writeFileSync(join(worktree, "file"), "");
    const kinds = ["a", "file", "in", "none", "file/x"].map((name) => kindAt(join(worktree, name)));
    expect(kinds).toEqual(["folder", "file", "link", "missing", "missing"]);
    expect(kindAt("/dev/null")).toBe("other");
  });
});

function resolvedOrCode(worktree: string, path: string): string {
  try {
    return resolveBelow(worktree, path, "cwd");
  } catch (error) {
    return (error as { code: string }).code;
  }
}

const entry = (pid: number, parent: number): ProcessEntry => ({
  pid,
  parent,
  session: 0,
  start: "1",
  dead: false,
  threads: 1,
  residentPages: 1,
});

const pids = (first: number) => new YoungerProcesses(first).list().map(({ pid }) => pid);

describe("the process table", () => {
  it("reads a process with any name", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 15 }), fc.nat(99_999), fc.nat(99_999), (name, pid, parent) => {
        const rest = Array.from({ length: 30 }, (_, index) => String(index + 100));
        const stat = `${pid} (${name}) S ${parent} 7 8 ${rest.join(" ")}`;
        expect(parseStat(stat)).toMatchObject({ pid, parent, session: 8, start: "115", residentPages: 117, dead: false });
      }),
    );
    expect(parseStat("1 (x) Z 1")).toBeNull();
  });

  it("finds its own process, and does not identify a process by its pid alone", () => {
    const own = readProcess(process.pid);
    expect(own).toMatchObject({ pid: process.pid, parent: process.ppid, dead: false });
    expect(own !== null && isSameProcess(own)).toBe(true);
    expect(own !== null && isSameProcess({ ...own, start: "0" })).toBe(false);
    expect(readProcess(2 ** 30)).toBeNull();
    expect(hasInEnvironment(2 ** 30, "A=b")).toBe(false);
  });

  it("finds every descendant and no other process", () => {
    const parents = fc.array(fc.nat(20), { maxLength: 20 });
    fc.assert(
      fc.property(parents, (list) => {
        const entries = list.map((parent, index) => entry(index + 1, parent));
        const found = new Set(descendants(entries, ({ pid }) => pid === 1).map(({ pid }) => pid));
        const reaches = (pid: number, seen = new Set<number>()): boolean => {
          if (pid === 1) return true;
          const parent = entries[pid - 1]?.parent;
          if (parent === undefined || seen.has(pid)) return false;
          return reaches(parent, seen.add(pid));
        };
        for (const { pid } of entries) expect(found.has(pid), `process ${pid}`).toBe(reaches(pid));
      }),
    );
  });

  it("reads all processes once the pids have wrapped around", () => {
    expect(pids(process.pid)).toContain(process.pid);
    expect(Math.min(...pids(process.pid))).toBe(process.pid);
    expect(pids(2 ** 30)).toContain(process.pid);
  });

  it("a signal to an ended process is not an error, to an impossible pid it is", () => {
    expect(() => signalProcess(2 ** 22 - 1, "SIGTERM")).not.toThrow();
    expect(() => signalProcess(1, "SIGNOPE" as NodeJS.Signals)).toThrow(/signal/i);
  });
});

describe("process 1 of a namespace", () => {
  const own = readlinkSync("/proc/self/ns/pid").replaceAll(/\D/g, "");

  it("is found by its parent, or by its namespace once the parent has ended", () => {
    expect(findInit(process.ppid, { childPid: process.pid, pidNamespace: 0 })).toMatchObject({ pid: process.pid });
    expect(findInit(1, { childPid: process.pid, pidNamespace: Number(own) })).toMatchObject({ pid: process.pid });
  });

  it("is not another process that has its pid now", () => {
    expect(findInit(2 ** 30, { childPid: process.pid, pidNamespace: 0 })).toBeNull();
    expect(findInit(1, { childPid: 2 ** 30, pidNamespace: 0 })).toBeNull();
    expect(findInit(1, { childPid: null, pidNamespace: null })).toBeNull();
  });
});

function fakeChild(): ChildProcess & { stdio: PassThrough[] } {
  const stdio = [new PassThrough(), new PassThrough(), new PassThrough()];
  const child = Object.assign(new EventEmitter(), { stdio, stdout: stdio[1], stderr: stdio[2] });
  stdio[1]?.once("close", () => child.emit("close"));
  return child as unknown as ChildProcess & { stdio: PassThrough[] };
}

describe("supervising", () => {
  it("does not wait for output that an outside process holds open", async () => {
    const child = fakeChild();
    const tree = { members: () => [], terminate: () => undefined, kill: () => undefined, gone: () => true };
    const supervised = supervise(child, tree, { worktree: scratchFolder(), command: ["x"], timeoutMs: 5_000 }, DEFAULT_LIMITS);
    child.emit("exit", 0, null);
    expect(await supervised).toMatchObject({ exitCode: 0 });
  });

  it("waits only a bounded time for the last status of a sandbox", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const child = fakeChild();
      const settled = new Promise<void>((resolve) => child.stdio[2]?.once("close", resolve));
      const tree = { members: () => [], terminate: () => undefined, kill: () => undefined, gone: () => true, settled };
      const supervised = supervise(child, tree, { worktree: scratchFolder(), command: ["x"], timeoutMs: 60_000 }, DEFAULT_LIMITS);
      child.emit("exit", 3, null);
      await vi.advanceTimersByTimeAsync(9_000);
      expect(child.stdio.some((stream) => stream?.destroyed)).toBe(false);
      await vi.advanceTimersByTimeAsync(2_000);
      expect(await supervised).toMatchObject({ exitCode: 3, timedOut: false });
    } finally {
      vi.useRealTimers();
    }
  });

  it("notices the end of a sandbox that ended before the listener was added", async () => {
    const gone = new PassThrough();
    const child = fakeChild();
    child.stdio.push(gone);
    await new Promise((resolve) => gone.once("close", resolve).destroy());
    const status = new BubblewrapStatus(child);
    await Promise.all([status.closed, status.introduced]);
    expect(status).toMatchObject({ ended: true, commandEnded: false, childPid: null });
  });

  it("never reports the end of a command while one of its processes lives", async () => {
    const child = fakeChild();
    let kills = 0;
    const tree = { members: () => [], terminate: () => undefined, kill: () => kills++, gone: () => false };
    const supervised = supervise(child, tree, { worktree: scratchFolder(), command: ["x"], timeoutMs: 5_000 }, DEFAULT_LIMITS, 50);
    child.emit("exit", 0, null);
    await expect(supervised).rejects.toMatchObject({ code: "internal_error", message: expect.stringContaining("could not be killed") });
    expect(kills).toBeGreaterThan(1);
  });
});

describe("limits", () => {
  const member: ProcessEntry = { pid: 1, parent: 0, session: 0, start: "1", dead: false, threads: 1, residentPages: 1_000 };

  it("name the first exceeded limit", () => {
    expect(exceededBy([member], DEFAULT_LIMITS)).toBeNull();
    expect(exceededBy([member, member], { ...DEFAULT_LIMITS, processes: 1 })).toBe("processes");
    expect(exceededBy([member], { ...DEFAULT_LIMITS, memoryBytes: 1_000 })).toBe("memory");
  });

  it("memory is bounded by the machine as well", () => {
    expect(exceededBy([{ ...member, residentPages: 2 ** 40 }], { ...DEFAULT_LIMITS, memoryBytes: Number.MAX_SAFE_INTEGER })).toBe("memory");
  });

  it("disk: neither writes of others nor earlier files count", async () => {
    const [worktree, other] = [scratchFolder(), scratchFolder()];
    const old = Buffer.alloc(3_000_000, 1);
    writeFileSync(join(worktree, "old"), old);
    await new Promise((resolve) => setTimeout(resolve, 50));
    const disk = new DiskGrowth({ folder: worktree }, { diskBytes: 1_000_000, files: 1_000 }, Date.now());
    for (let round = 0; round < 3; round++) {
      writeFileSync(join(other, `file${round}`), Buffer.alloc(8_000_000, 1), { flush: true });
      expect(await disk.exceeded([process.pid])).toBeNull();
    }
    mkdirSync(join(worktree, "folder"));
    symlinkSync("nowhere", join(worktree, "folder", "link"));
    truncateSync(join(worktree, "old"), 2_000_000);
    writeFileSync(join(worktree, "new"), old, { flush: true });
    expect(await disk.exceeded([2 ** 30])).toBe("disk");
  });

  it("disk: space that another program frees does not hide what the command wrote", async () => {
    const [worktree, other] = [scratchFolder(), scratchFolder()];
    writeFileSync(join(other, "old"), Buffer.alloc(20_000_000, 1), { flush: true });
    const disk = new DiskGrowth({ folder: worktree }, { diskBytes: 1_000_000, files: 1_000 }, Date.now());
    rmSync(join(other, "old"));
    writeFileSync(join(worktree, "new"), Buffer.alloc(3_000_000, 1), { flush: true });
    await expect.poll(() => disk.exceeded([2 ** 30]), { timeout: 10_000 }).toBe("disk");
  });
});

describe("the host", () => {
  it("versions", () => {
    expect([
      isAtLeast("0.8.0", [0, 8]),
      isAtLeast("0.11", [0, 8]),
      isAtLeast("0.6.1", [0, 8]),
      isAtLeast("6.1.0-18-amd64", [5, 14]),
      isAtLeast("x", [0, 8]),
    ]).toEqual([true, true, false, true, false]);
  });

  it("programs", () => {
    expect(findOnPath("sh", "relative:/no/such:/bin")).toBe("/bin/sh");
    expect(findOnPath("sh", "")).toBeNull();
    expect([isExecutable("/bin/sh"), isExecutable("/etc/passwd"), isExecutable("/bin"), isExecutable("/no")]).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });

  it("shows no file of /etc with secrets", () => {
    const { etcFolders, etcFiles, etcLinks } = describeHost("/usr/bin/bwrap", "");
    const shown = [...etcFolders, ...etcFiles, ...etcLinks.map(({ path }) => path)];
    expect(shown.length).toBeGreaterThan(0);
    for (const path of shown) expect(path).toMatch(/^\/etc\/./);
    for (const path of shown) expect(path).not.toMatch(/shadow|sudoers|ssh|private|passwd|npmrc|gitconfig|environment/);
    expect([...describeHost("/usr/bin/bwrap", "  --size BYTES   Set size\n --new-session").options]).toEqual(["--size", "--new-session"]);
  });

  it("transient errors are those of a busy machine", () => {
    expect(["EAGAIN", "ENOMEM", "EMFILE", "ETXTBSY", "ENOENT", "E2BIG"].map(isTransient)).toEqual([true, true, true, true, false, false]);
  });
});
