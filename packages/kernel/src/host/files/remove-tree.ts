import { randomBytes } from "node:crypto";
import { chmodSync, lstatSync, readdirSync, renameSync, rmdirSync, rmSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { encodePath } from "../git/names.ts";
import { hasDescriptors, inFolderOfBytes, openClosedFolder, type OpenFolder } from "./beneath.ts";
import { hasCode } from "./file-system.ts";
import { inSlices } from "./in-slices.ts";

/** Deeper folders are first moved up, so that neither PATH_MAX nor the open-file limit restricts the depth of a tree. */
const DEEPEST = 32;
const UNLINKS_AT_ONCE = 256;

/** Removes a file, link or folder that untrusted code may have prepared. Follows no link; a missing path is not an error. */
export async function removeTree(path: string): Promise<void> {
  await inSlices(removal(path));
}

/** The same within a time. Never fails: false if something is left, because time was short or it cannot be removed. */
export function removeWithin(path: string, ms: number): Promise<boolean> {
  return inSlices(removal(path), performance.now() + ms).catch(() => false);
}

export function removeTreeNow(path: string | Buffer): void {
  for (const _ of removal(path));
}

/** The same below a root in which untrusted code may have replaced folders by links or made them inaccessible. */
export function removeBeneath(root: string, path: string): void {
  try {
    inFolderOfBytes(root, encodePath(path), removeTreeNow, { open: true });
  } catch (error) {
    if (!hasCode(error, "ENOENT")) throw error;
  }
}

/** Pauses often, for a caller that does other things in between. */
export function* removal(path: string | Buffer): Generator<void> {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (!found.isDirectory()) return unlinkSync(path);
  if (!hasDescriptors()) {
    openFolders(path.toString());
    return rmSync(path, { recursive: true, force: true });
  }
  {
    using top = openClosedFolder(path);
    while (readdirSync(top.place, { encoding: "buffer" }).length > 0) yield* emptying(top, top, 0);
  }
  rmdirSync(path);
}

/** Works on bytes, because names need not be valid UTF-8. */
function* emptying(folder: OpenFolder, top: OpenFolder, depth: number): Generator<void> {
  const prefix = Buffer.from(`${folder.place}/`);
  let unlinked = 0;
  for (const entry of readdirSync(folder.place, { withFileTypes: true, encoding: "buffer" })) {
    const path = Buffer.concat([prefix, entry.name]);
    if (!entry.isDirectory()) {
      unlinkSync(path);
      if (++unlinked % UNLINKS_AT_ONCE === 0) yield;
      continue;
    }
    using child = openClosedFolder(path);
    if (depth < DEEPEST) {
      yield* emptying(child, top, depth + 1);
      rmdirSync(path);
    } else renameSync(path, `${top.place}/.slipway-${randomBytes(12).toString("hex")}`);
  }
  yield;
}

function openFolders(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return;
  chmodSync(path, 0o700);
  for (const name of readdirSync(path)) openFolders(join(path, name));
}
