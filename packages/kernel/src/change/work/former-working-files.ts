import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { removeTreeNow } from "../../host/files/remove-tree.ts";
import type { Layout } from "../../host/layout.ts";

/**
 * Earlier versions kept two working files of the harness among the projections. The index is a cache: it is removed and recreated. The note
 * of an interrupted gate is needed by the next gate: it is moved, unless a newer one exists. It is copied, not renamed, because the git
 * directory may be on another disk; after a kill the copy is repeated.
 */
export function moveFormerWorkingFiles(layout: Layout, id: string): void {
  const folder = layout.feature(id);
  const former = join(folder, "gate.beside.json");
  if (existsSync(former)) {
    const note = layout.besideNote(id);
    if (!existsSync(note)) placeNote(note, readFileSync(former, "utf8"));
    removeTreeNow(former);
  }
  if (!existsSync(join(folder, "harness.index"))) return;
  for (const name of readdirSync(folder).filter((name) => /^harness\.index(?:\..*)?$/.test(name))) removeTreeNow(join(folder, name));
}

/** Written by a rename, so that an existing note is always complete. */
export function placeNote(note: string, text: string): void {
  mkdirSync(dirname(note), { recursive: true, mode: 0o700 });
  writeFileSync(`${note}.new`, text);
  renameSync(`${note}.new`, note);
}
