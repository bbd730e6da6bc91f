import { statfsSync } from "node:fs";
import { SANDBOX_HOME } from "./arguments.ts";

const FOLDERS = ["/tmp", "/var/tmp", "/dev/shm", "/run", SANDBOX_HOME];
const TMPFS = 0x0102_1994;
/** What an empty file costs the kernel. */
const INODE_BYTES = 1024;

/** The bytes of files in the memory of a sandbox, seen through one of its processes. */
export function bytesInMemory(pids: readonly number[]): number {
  for (const pid of pids) {
    const held = FOLDERS.map((folder) => heldAt(`/proc/${pid}/root${folder}`)).filter((bytes) => bytes !== null);
    if (held.length > 0) return held.reduce((sum, bytes) => sum + bytes, 0);
  }
  return 0;
}

/** Null if the process has ended. */
function heldAt(folder: string): number | null {
  try {
    const { type, blocks, bfree, bsize, files, ffree } = statfsSync(folder);
    return type === TMPFS ? (blocks - bfree) * bsize + (files - ffree) * INODE_BYTES : 0;
  } catch {
    return null;
  }
}
