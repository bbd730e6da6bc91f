import { readFileSync } from "node:fs";

/** The host user of a command if Slipway is root. */
export interface SubordinateUser {
  readonly uid: number;
  readonly gid: number;
}

/** Beyond all ranges that Linux distributions and systemd assign. */
const UNUSED_ID = 1_900_000_000;

/** Null if Slipway is not root, or is root only in a user namespace and so already another user on the host. */
export function subordinateUser(
  read: (path: string) => string = readText,
  euid: number | undefined = process.geteuid?.(),
): SubordinateUser | null {
  const isInitial = /^\s*0\s+0\s+4294967295\s*$/.test(read("/proc/self/uid_map"));
  if (euid !== 0 || !isInitial) return null;
  return { uid: lastOfRoots(read("/etc/subuid")), gid: lastOfRoots(read("/etc/subgid")) };
}

/** The last id of root's range, because container tools assign from the first. */
function lastOfRoots(text: string): number {
  const [, first, count] = /^(?:root|0):(\d+):(\d+)\s*$/m.exec(text) ?? [];
  const last = Number(first) + Number(count) - 1;
  return Number.isSafeInteger(last) && last > 0 && last < 2 ** 32 - 2 ? last : UNUSED_ID;
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
