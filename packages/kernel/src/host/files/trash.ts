import { randomBytes } from "node:crypto";
import { mkdirSync, readdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { removeWithin } from "./remove-tree.ts";

const PREFIX = ".old-";
/** Far more than a usual folder needs, and less than a person notices. */
const AT_ONCE_MS = 5_000;
const SWEEP_MS = 60_000;

/** Removes what untrusted code has filled. What takes long or cannot be removed is set aside in the folder `trash`, for a later `emptyTrash`. */
export async function discardTree(path: string, trash: string): Promise<void> {
  if (await removeWithin(path, AT_ONCE_MS)) return;
  mkdirSync(trash, { recursive: true, mode: 0o700 });
  setAside(path, trash);
}

/** Makes a path free at once. */
export function setAside(path: string, trash: string): string {
  const place = join(trash, `${PREFIX}${randomBytes(6).toString("hex")}`);
  renameSync(path, place);
  return place;
}

/** Removes what was set aside in a folder, within a time; what is left then stays for the next time. */
export async function emptyTrash(trash: string, withinMs = SWEEP_MS): Promise<void> {
  const deadline = performance.now() + withinMs;
  for (const name of namesIn(trash).filter((each) => each.startsWith(PREFIX)))
    await removeWithin(join(trash, name), Math.max(0, deadline - performance.now()));
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
