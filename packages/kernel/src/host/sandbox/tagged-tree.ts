import { signalProcess } from "../launcher/start.ts";
import { YoungerProcesses, descendants, hasInEnvironment, readProcess, type ProcessEntry } from "./process-table.ts";
import type { ProcessTree } from "./supervise.ts";

/** Inherited by all descendants of a command, so that a daemon that left its session is found. */
export const TAG_VARIABLE = "SLIPWAY_PROCESS_TAG";

/** The processes of a command without a PID namespace: its session, its descendants and all processes with its tag. */
export function taggedTree(leader: number, tag: string, hasProcessTable = readProcess(process.pid) !== null): ProcessTree {
  const younger = new YoungerProcesses(leader);
  const known = new Map<number, string>();

  const isRoot = ({ pid, session, start }: ProcessEntry) => pid === leader || session === leader || known.get(pid) === start;
  const belonging = (entries: readonly ProcessEntry[]): ProcessEntry[] => {
    const found = descendants(entries, isRoot);
    for (const { pid, start } of found) known.set(pid, start);
    return found.filter(({ dead }) => !dead);
  };
  const everyone = (): Set<number> => {
    const entries = younger.list();
    const tagged = entries.filter(({ pid, dead }) => !dead && hasInEnvironment(pid, `${TAG_VARIABLE}=${tag}`));
    return new Set([...belonging(entries), ...tagged].map(({ pid }) => pid));
  };
  const signalAll = (name: NodeJS.Signals) => {
    signalProcess(-leader, name);
    for (const pid of everyone()) signalProcess(pid, name);
  };

  return {
    members: () => belonging(younger.list()),
    terminate: () => signalAll("SIGTERM"),
    kill: () => signalAll("SIGKILL"),
    gone: () => (hasProcessTable ? everyone().size === 0 : isGroupGone(leader)),
  };
}

function isGroupGone(leader: number): boolean {
  try {
    process.kill(-leader, 0);
    return false;
  } catch {
    return true;
  }
}
