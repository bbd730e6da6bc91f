import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";

/** Identifies one process. A pid alone does not: pids are reused, and comparable only within one kernel and pid namespace. */
export interface ProcessIdentity {
  readonly host: string;
  readonly pid: number;
  /** Empty if the system does not report it. */
  readonly startedAt: string;
}

export interface HostIdentity extends ProcessIdentity {
  /** True only if the process has certainly ended. */
  isDead(process: ProcessIdentity): boolean;
}

export function systemHost(proc = "/proc"): HostIdentity {
  const self = { host: hostName(proc), pid: process.pid, startedAt: readProcess(proc, process.pid)?.startedAt ?? "" };
  return { ...self, isDead: (other) => other.host === self.host && hasEnded(proc, other) };
}

function hasEnded(proc: string, { pid, startedAt }: ProcessIdentity): boolean {
  if (!pidExists(pid)) return true;
  const found = readProcess(proc, pid);
  if (found === undefined) return false;
  return found.ended || (startedAt !== "" && found.startedAt !== startedAt);
}

function pidExists(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // Any other failure (such as EPERM) means that it exists.
    return !(error instanceof Error && "code" in error && error.code === "ESRCH");
  }
}

/** In /proc/<pid>/stat field 3 is the state and field 22 the start in clock ticks since boot; the name in field 2 may contain anything. */
function readProcess(proc: string, pid: number): { startedAt: string; ended: boolean } | undefined {
  const stat = readText(join(proc, String(pid), "stat"));
  const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state, startedAt] = [fields?.[0], fields?.[19]];
  if (state === undefined || startedAt === undefined) return undefined;
  return { startedAt, ended: state === "Z" || state === "X" };
}

function hostName(proc: string): string {
  const boot = readText(join(proc, "sys/kernel/random/boot_id"))?.trim();
  return boot === undefined ? hostname() : `${hostname()}/${boot}/${readlinkSync(join(proc, "self/ns/pid"))}`;
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
