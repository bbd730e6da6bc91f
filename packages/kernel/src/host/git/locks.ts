import { readdir, readFile, readlink, stat, unlink } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Repository } from "./repository.ts";
import { waitingProcesses } from "./fast-path/prestarted-git.ts";

/** The folder with information about processes (/proc); another one in tests. */
export interface ProcessTable {
  readonly proc?: string;
  readonly waitMs?: number;
}

const WAIT_MS = 1_500;
const POLL_MS = 20;

/**
 * Removes a stale lock file of git, only on evidence: the file did not change while every git process that could have made it
 * (those that worked on this repository when the lock was found) ended. Without /proc it removes nothing.
 */
export async function clearStaleLock(
  repo: Repository,
  lock: string,
  { proc = "/proc", waitMs = WAIT_MS }: ProcessTable = {},
): Promise<"cleared" | "held" | "absent"> {
  const found = await identity(lock);
  if (found === undefined) return "absent";
  let suspects = await gitProcesses(repo, proc);
  const deadline = performance.now() + waitMs;
  while (suspects === undefined || suspects.size > 0) {
    if (suspects === undefined || performance.now() > deadline) return "held";
    await sleep(POLL_MS);
    const alive = await gitProcesses(repo, proc);
    const before = suspects;
    suspects = alive === undefined ? undefined : new Set([...alive].filter((process) => before.has(process)));
  }
  if ((await identity(lock)) !== found) return (await identity(lock)) === undefined ? "absent" : "held";
  await unlink(lock);
  return "cleared";
}

/** For a file that only the harness writes, one process at a time: an existing lock is stale and is removed before git runs. */
export async function withOwnLock<T>(repo: Repository, file: string, operation: () => Promise<T>): Promise<T> {
  await clearStaleLock(repo, `${file}.lock`);
  return operation();
}

export function lockNamedIn(stderr: string): string | undefined {
  return /Unable to create '(.+\.lock)': File exists/.exec(stderr)?.[1];
}

/** `pid:start` of each live git process in this repository; undefined without /proc. */
async function gitProcesses(repo: Repository, proc: string): Promise<Set<string> | undefined> {
  const pids = (await readdir(proc).catch(() => [])).filter((name) => /^\d+$/.test(name));
  if (pids.length === 0) return undefined;
  const found = new Set<string>();
  for (const pid of pids) {
    const facts = await readFile(join(proc, pid, "stat"), "utf8").catch(() => "");
    const end = facts.lastIndexOf(")");
    const name = facts.slice(facts.indexOf("(") + 1, end);
    const fields = facts.slice(end + 2).split(" ");
    if (!/^git(?:-|$)/.test(name) || fields[0] === "Z" || waitingProcesses.has(Number(pid))) continue;
    if (!(await worksIn(repo, join(proc, pid)))) continue;
    found.add(`${pid}:${fields[19]}`);
  }
  return found;
}

/** True also for a process whose working folder cannot be read: there is no evidence that it works elsewhere. */
async function worksIn(repo: Repository, process: string): Promise<boolean> {
  const cwd = await readlink(join(process, "cwd")).catch(() => repo.root);
  const command = await readFile(join(process, "cmdline"), "utf8").catch(() => "");
  return [repo.root, repo.commonDir, repo.ungated.worktrees].some(
    (folder) => cwd === folder || cwd.startsWith(`${folder}/`) || command.includes(folder),
  );
}

async function identity(path: string): Promise<string | undefined> {
  const found = await stat(path, { bigint: true }).catch(() => undefined);
  return found === undefined ? undefined : `${found.dev}:${found.ino}:${found.ctimeNs}`;
}
