import { spawn, type ChildProcess } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { reconcile } from "./reconcile.ts";
import { excludeLocally } from "./repository.ts";
import { contents, FILES, scratch, treeContents } from "./testing/scratch.ts";

/** More in a campaign: SLIPWAY_KILL_POINTS=2000. */
const POINTS = Number(process.env["SLIPWAY_KILL_POINTS"] ?? 45);

const SEED = Number(process.env["SLIPWAY_SEED"] ?? 20261119);

interface Running {
  readonly child: ChildProcess;
  readonly lines: string[];
  readonly ended: Promise<number | null>;
}

test(
  "attack 39: killed inside git again and again, every feature lands exactly once and nothing is lost",
  { timeout: 60_000 + POINTS * 3_000 },
  async () => {
    const user = scratch({ ...FILES, "shared.txt": "first\n" });
    const repo = await user.open();
    await excludeLocally(repo, [".slipway/", ".worktrees/"]);
    user.write("src/add.ts", "my own unfinished work\n");
    user.write("staged.txt", "staged\n");
    user.git("add", "staged.txt");
    user.write("untracked.txt", "untracked\n");
    const mine = () => ({
      files: ["src/add.ts", "staged.txt", "untracked.txt"].map((path) => user.read(path).toString()),
      status: user.git("status", "--porcelain"),
      head: user.git("symbolic-ref", "HEAD"),
    });
    const before = mine();

    console.log(`kill seed ${SEED}`);
    const random = generator(SEED);
    const log: string[] = [];
    let running = await started(user.root, 0);
    let killedGit = 0;
    let killedAll = 0;
    while (killedGit + killedAll < POINTS) {
      await sleep(5 + random() ** 2 * 400);
      if (running.child.exitCode !== null) expect.unreachable(running.lines.join("\n"));
      if (random() < 0.7) {
        const victim = await someGit(running.child.pid ?? 0);
        if (victim !== undefined && kill(victim)) killedGit++;
        continue;
      }
      killTree(running.child.pid ?? 0);
      await running.ended;
      log.push(...running.lines);
      killedAll++;
      running = await started(user.root, log.filter((line) => line.startsWith("done")).length);
    }
    killTree(running.child.pid ?? 0);
    await running.ended;
    log.push(...running.lines);
    const done = log.filter((line) => line.startsWith("done")).length;
    running = await started(user.root, done, done + 2);
    const exit = await running.ended;
    log.push(...running.lines);
    const failures = log.filter((line) => /^(?:failed|stderr)/.test(line)).slice(-8);
    expect(exit, failures.join("\n")).toBe(0);

    const kinds = Object.groupBy(log, (line) => line.replaceAll(/\/[^ ]*|[0-9a-f]{40}|\d+/g, "_").slice(0, 60));
    console.log(
      `killed git ${killedGit} times, everything ${killedAll} times\n${Object.entries(kinds)
        .map(([kind, lines]) => `${lines?.length} x ${kind}`)
        .join("\n")}`,
    );
    await reconcile(repo);
    const count = log.filter((line) => line.startsWith("done")).length;
    expect(count).toBeGreaterThan(1);
    expect(user.git("fsck", "--no-progress", "--no-dangling")).toBe("");
    expect(mine()).toEqual(before);
    const merged = user
      .git("log", "--first-parent", "--format=%s", "main")
      .split("\n")
      .filter((subject) => subject.startsWith("Merge"));
    expect(new Set(merged).size).toBe(merged.length);
    expect(merged.length).toBeGreaterThanOrEqual(count);
    const landed = treeContents(user.root, "main");
    for (let number = 0; number < merged.length; number++) {
      expect(landed[`f${number}-2.txt`]).toBe(`- f${number} 2\n`);
      expect(user.git("show", `refs/slipway/kill/f${number}:f${number}-1.txt`)).toBe(`f${number} 1`);
    }
    expect(contents(user.root)).toMatchObject({ "shared.txt": `- last was f${merged.length - 1}\n` });
    expect(locksBelow(join(user.root, ".git"))).toEqual([]);
    expect(killedGit).toBeGreaterThan(5);
    expect(killedAll).toBeGreaterThan(3);
  },
);

/** Its modules are loaded: a death before that would hit no work, and on a busy machine that takes seconds. */
async function started(root: string, first: number, end = Infinity): Promise<Running> {
  const running = start(root, first, end);
  while (!running.lines.includes("ready") && running.child.exitCode === null) await sleep(5);
  return running;
}

function start(root: string, first: number, end = Infinity): Running {
  const args = [
    "--conditions=slipway-source",
    "--disable-warning=ExperimentalWarning",
    join(import.meta.dirname, "testing/kill-child.ts"),
    root,
    String(first),
    String(end),
  ];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  const lines: string[] = [];
  let rest = "";
  const take = (chunk: Buffer) => {
    const parts = `${rest}${chunk.toString("utf8")}`.split("\n");
    rest = parts.pop() ?? "";
    lines.push(...parts);
  };
  child.stdout.on("data", take);
  child.stderr.on("data", (chunk: Buffer) => lines.push(`stderr ${chunk.toString("utf8")}`));
  return { child, lines, ended: new Promise((resolve) => child.on("close", resolve)) };
}

function descendants(pid: number): number[] {
  const children = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => statOf(name).parent === pid)
    .map(Number);
  return [...children, ...children.flatMap(descendants)];
}

function statOf(pid: string): { parent: number; name: string } {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    return {
      parent: Number(text.slice(text.lastIndexOf(")") + 2).split(" ")[1]),
      name: text.slice(text.indexOf("(") + 1, text.lastIndexOf(")")),
    };
  } catch {
    return { parent: -1, name: "" };
  }
}

async function someGit(pid: number): Promise<number | undefined> {
  for (let attempt = 0; attempt < 10; attempt++) {
    // The newest process: the ref transaction lives longest and would otherwise be hit nearly every time.
    const found = descendants(pid).findLast((each) => statOf(String(each)).name === "git");
    if (found !== undefined) return found;
    await sleep(3);
  }
  return undefined;
}

function kill(pid: number): boolean {
  try {
    return process.kill(pid, "SIGKILL");
  } catch {
    return false;
  }
}

function killTree(pid: number): void {
  // git runs in its own process groups, so find its processes by parent before the parent dies.
  for (const each of [pid, ...descendants(pid)]) kill(each);
}

function locksBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".lock"));
}

function generator(seed: number): () => number {
  let state = seed + 1;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}
