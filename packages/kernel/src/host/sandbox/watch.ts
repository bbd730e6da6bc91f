import { totalmem } from "node:os";
import type { LimitName, Limits } from "./contract.ts";
import type { DiskGrowth } from "./disk.ts";
import { readProcess, type ProcessEntry } from "./process-table.ts";
import type { ProcessTree } from "./supervise.ts";
import { ownTurn } from "./turns.ts";

const FIRST_LOOK_MS = 20;
const SHORTEST_PAUSE_MS = 40;
const LONGEST_PAUSE_MS = 500;
/** Polling uses at most 1/LOOK_SHARE of a core. */
const LOOK_SHARE = 20;

/**
 * Polls the processes, because rlimits do not apply to root and cover neither total memory nor a whole
 * worktree. Returns a function that stops the watch.
 */
export function watch(
  tree: Pick<ProcessTree, "members" | "inMemory" | "exceeded">,
  limits: Limits,
  disks: readonly DiskGrowth[],
  onExceeded: (limit: LimitName) => void,
): () => void {
  let ended = false;
  let timer = setTimeout(inTurn, FIRST_LOOK_MS);

  /** Polls commands that were started together one after the other. */
  function inTurn(): void {
    void ownTurn().then(() => ended || look());
  }

  function look(): void {
    const begun = performance.now();
    const found = tree.members();
    const pids = found.map(({ pid }) => pid);
    const limit = exceededBy(found, limits, tree.inMemory?.(pids)) ?? tree.exceeded?.() ?? null;
    const cost = performance.now() - begun;
    if (limit !== null) onExceeded(limit);
    void Promise.all(disks.map((disk) => disk.exceeded(pids))).then((exceeded) => {
      for (const onDisk of exceeded) if (onDisk !== null) onExceeded(onDisk);
      if (!ended) timer = setTimeout(inTurn, Math.min(Math.max(cost * LOOK_SHARE, SHORTEST_PAUSE_MS), LONGEST_PAUSE_MS));
    });
  }

  return () => {
    ended = true;
    clearTimeout(timer);
  };
}

export function exceededBy(
  members: readonly ProcessEntry[],
  limits: Limits,
  inMemory = 0,
): Extract<LimitName, "processes" | "threads" | "memory"> | null {
  if (members.length > limits.processes) return "processes";
  if (members.reduce((sum, { threads }) => sum + threads, 0) > limits.threads) return "threads";
  const memoryBytes = Math.min(limits.memoryBytes, totalmem() * 0.75);
  const pages = members.reduce((sum, { residentPages }) => sum + residentPages, 0);
  return pages * pageBytes() + inMemory > memoryBytes ? "memory" : null;
}

/** 0 for a process that has ended. */
export function residentBytes(pid: number): number {
  return (readProcess(pid)?.residentPages ?? 0) * pageBytes();
}

let knownPageBytes: number | null = null;

/** Node does not report the page size; it follows from its own memory in bytes and, in /proc, in pages. */
function pageBytes(): number {
  const pages = readProcess(process.pid)?.residentPages ?? 0;
  knownPageBytes ??= pages === 0 ? 4096 : 2 ** Math.round(Math.log2(process.memoryUsage.rss() / pages));
  return knownPageBytes;
}
