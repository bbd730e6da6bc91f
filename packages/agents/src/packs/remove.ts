import { chmodSync, lstatSync, readdirSync, unlinkSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { hasCode } from "@slipway/kernel/files/file-system";
import { inSlices } from "@slipway/kernel/sandbox/turns";

/** Removes a folder, also one in which an agent has closed others. Files that are known are much faster than looking for them. */
export async function removeFolder(folder: string, known: readonly string[]): Promise<void> {
  await inSlices(known, forget);
  try {
    await rm(folder, { recursive: true, force: true });
  } catch (error) {
    if (!hasCode(error, "EACCES", "EPERM", "ENOTEMPTY")) throw error;
    openFolders(folder);
    await rm(folder, { recursive: true, force: true });
  }
}

function forget(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Gone, or not a file any more: what is left is removed with its folder.
  }
}

export function openFolders(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return;
  chmodSync(path, 0o700);
  for (const name of readdirSync(path)) openFolders(join(path, name));
}
