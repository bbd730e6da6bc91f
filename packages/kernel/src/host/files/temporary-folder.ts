import { lstatSync, readdirSync, readlinkSync } from "node:fs";
import { mkdtemp, realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readProcess } from "../sandbox/process-table.ts";
import { removeTree } from "./remove-tree.ts";

/** Who made a folder. Pids repeat: in another container that shares the folder for temporary files, and after some time. */
interface FolderOwner {
  readonly pid: number;
  /** Clock ticks since boot; `0` without /proc. */
  readonly start: string;
  /** The number of the pid namespace; `0` without /proc. */
  readonly namespace: string;
}

/**
 * Makes an empty folder for temporary files. Its name tells which process uses it, so that `removeAbandonedFolders` finds those of
 * processes that were killed. `purpose` is a word.
 */
export async function makeTemporaryFolder(purpose: string): Promise<string> {
  const { pid, start, namespace } = thisProcess();
  return realpath(await mkdtemp(join(tmpdir(), `slipway-${purpose}-${pid}.${start}.${namespace}-`)));
}

/** Removes the temporary folders whose process no longer runs. One that cannot be removed stays. */
export async function removeAbandonedFolders(): Promise<void> {
  for (const name of readdirSync(tmpdir())) {
    const owner = ownerOf(name);
    const path = join(tmpdir(), name);
    if (owner === null || isRunning(owner) || !isOurs(path)) continue;
    await removeTree(path).catch(() => undefined);
  }
}

function thisProcess(): FolderOwner {
  return { pid: process.pid, start: readProcess(process.pid)?.start ?? "0", namespace: pidNamespace() };
}

function ownerOf(name: string): FolderOwner | null {
  const [, pid, start, namespace] = /^slipway-[a-z]+-(\d{1,10})\.(\d{1,20})\.(\d{1,20})-\w+$/.exec(name) ?? [];
  return pid === undefined || start === undefined || namespace === undefined ? null : { pid: Number(pid), start, namespace };
}

/** A process of another pid namespace cannot be seen, so it counts as running. */
function isRunning({ pid, start, namespace }: FolderOwner): boolean {
  if (namespace !== pidNamespace()) return true;
  const found = readProcess(pid);
  if (found !== null) return found.start === start && !found.dead;
  return start === "0" && answersSignals(pid);
}

function answersSignals(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

function isOurs(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found?.isDirectory() === true && found.uid === (process.getuid?.() ?? found.uid);
}

function pidNamespace(): string {
  try {
    return /\d+/.exec(readlinkSync("/proc/self/ns/pid"))?.[0] ?? "0";
  } catch {
    return "0";
  }
}
