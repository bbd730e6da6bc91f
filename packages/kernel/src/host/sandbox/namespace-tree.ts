import { readlinkSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { signalProcess } from "../launcher/start.ts";
import { YoungerProcesses, descendants, isSameProcess, readProcess, type ProcessEntry } from "./process-table.ts";
import type { BubblewrapStatus } from "./status.ts";
import type { ProcessTree } from "./supervise.ts";

/** bubblewrap needs a few milliseconds. */
const INTRODUCED_WITHIN_MS = 5_000;

type NamespaceStatus = Pick<BubblewrapStatus, "childPid" | "pidNamespace" | "ended" | "closed" | "introduced">;

/** Killing process 1 of a PID namespace makes the kernel kill all the others, before its death can be seen. */
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
    // A monitor that dies now would leave behind a process 1 that waits for it for ever.
    void Promise.race([status.introduced, sleep(INTRODUCED_WITHIN_MS, undefined, { ref: false })]).then(killBoth);
  };
  return {
    members,
    kill,
    terminate: () => members().forEach(({ pid }) => signalProcess(pid, "SIGTERM")),
    gone: () => {
      const root = init();
      return status.ended && (root === null || !isSameProcess(root));
    },
    settled: status.closed,
  };
}

/** By parent while the monitor lives, by namespace afterwards: the number alone may belong to somebody else by then. */
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
