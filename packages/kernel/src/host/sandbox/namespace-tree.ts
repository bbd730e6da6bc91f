import { readlinkSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { bytesInMemory } from "./memory.ts";
import { signalProcess } from "../launcher/start.ts";
import { YoungerProcesses, descendants, isSameProcess, readProcess, type ProcessEntry } from "./process-table.ts";
import type { BubblewrapStatus } from "./status.ts";
import type { ProcessTree } from "./supervise.ts";

/** bubblewrap normally needs a few milliseconds. */
const INTRODUCED_WITHIN_MS = 5_000;

type NamespaceStatus = Pick<BubblewrapStatus, "childPid" | "pidNamespace" | "ended" | "closed" | "introduced">;

/** When process 1 of a PID namespace is killed, the kernel kills all others before its death is visible. */
export function namespaceTree(monitor: number, status: NamespaceStatus): ProcessTree {
  let first: ProcessEntry | null = null;
  let younger: YoungerProcesses | null = null;
  const init = () => (first ??= findInit(monitor, status));
  const members = () => {
    const root = init();
    if (root === null) return [];
    younger ??= new YoungerProcesses(root.pid);
    return descendants(younger.list(), (entry) => entry.pid === root.pid && entry.start === root.start).filter(
      ({ pid }) => pid !== root.pid,
    );
  };
  const killBoth = () => {
    const root = init();
    if (root !== null && isSameProcess(root)) signalProcess(root.pid, "SIGKILL");
    if (!status.ended) signalProcess(monitor, "SIGKILL");
  };
  const kill = () => {
    if (status.childPid !== null || status.ended) return killBoth();
    // If the monitor died now, process 1 would wait for it forever.
    void Promise.race([status.introduced, sleep(INTRODUCED_WITHIN_MS, undefined, { ref: false })]).then(killBoth);
  };
  return {
    members,
    inMemory: bytesInMemory,
    kill,
    terminate: () => members().forEach(({ pid }) => signalProcess(pid, "SIGTERM")),
    gone: () => {
      const root = init();
      return status.ended && (root === null || !isSameProcess(root));
    },
    settled: status.closed,
  };
}

/** Found by parent while the monitor lives, by namespace afterwards: the pid alone may have been reused by then. */
export function findInit(
  monitor: number,
  { childPid, pidNamespace }: Pick<NamespaceStatus, "childPid" | "pidNamespace">,
): ProcessEntry | null {
  if (childPid === null) return null;
  const entry = readProcess(childPid);
  if (entry === null || entry.dead) return null;
  return entry.parent === monitor || namespaceOf(childPid) === `pid:[${pidNamespace}]` ? entry : null;
}

function namespaceOf(pid: number): string | null {
  try {
    return readlinkSync(`/proc/${pid}/ns/pid`);
  } catch {
    return null;
  }
}
