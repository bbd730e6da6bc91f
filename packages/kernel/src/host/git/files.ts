import { createHash } from "node:crypto";
import { linkSync, lstatSync, mkdirSync, renameSync, symlinkSync, writeFileSync, type Stats } from "node:fs";
import { copyFile, readdir, readFile, readlink, rename, rmdir, unlink } from "node:fs/promises";
import { SlipwayError } from "../../schema/errors.ts";
import { decodePath as decode, encodePath } from "./names.ts";
import { ABSENT, EXECUTABLE, GITLINK, SYMLINK, type RawEntry } from "./raw.ts";
import type { Repository } from "./repository.ts";
import { readObjects } from "./fast-path/git-queries.ts";

/** A path below a root as bytes, because names need not be UTF-8. */
export function at(root: string, path: string): Buffer {
  return Buffer.concat([Buffer.from(`${root}/`), encodePath(path)]);
}

/** Synchronous inside: for each path of a change the thread pool would cost more than the call. */
export async function statAt(root: string, path: string): Promise<Stats | undefined> {
  try {
    return lstatSync(at(root, path), { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** git's object id for a path: of a file's bytes or a link's target. Undefined for anything else. */
export async function blobIdAt(root: string, path: string, found: Stats, algorithm: string): Promise<string | undefined> {
  if (!found.isFile() && !found.isSymbolicLink()) return undefined;
  const bytes = found.isFile() ? await readFile(at(root, path)) : await readlink(at(root, path), { encoding: "buffer" });
  return blobId(bytes, algorithm);
}

export function blobId(bytes: Uint8Array, algorithm: string): string {
  return createHash(algorithm).update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
}

/** Writes the new content of each entry into a folder, one file per entry, named by its position. */
export async function stageBlobs(repo: Repository, folder: string, entries: readonly RawEntry[]): Promise<void> {
  const written = entries.map((entry, position) => ({ entry, position })).filter(({ entry }) => isFileMode(entry.newMode));
  const blobs = await readObjects(
    repo,
    written.map(({ entry }) => entry.newOid),
  );
  for (const [index, { entry, position }] of written.entries()) {
    const blob = blobs[index];
    if (blob?.type !== "blob")
      throw new SlipwayError("object_missing", `The content of ${entry.path} (${entry.newOid}) is not in the repository.`, {
        file: entry.path,
      });
    const target = `${folder}/${position}`;
    if (entry.newMode === SYMLINK) symlinkSync(blob.bytes, target);
    else writeFileSync(target, blob.bytes, { mode: entry.newMode === EXECUTABLE ? 0o777 : 0o666, flag: "wx" });
  }
}

/**
 * Replaces the files below a root by the new content of the entries, staged on the same file system. Each path changes
 * by one rename, so it is always completely old or completely new; a failure is rolled back. Returns the undo.
 */
export async function placeFiles(root: string, staged: string, entries: readonly RawEntry[]): Promise<() => Promise<void>> {
  const done: (() => Promise<void>)[] = [];
  const undo = async () => {
    for (const step of done.splice(0).toReversed()) await step();
  };
  try {
    for (const [position, entry] of entries.entries()) {
      if (!isFileMode(entry.newMode)) done.push(await remove(root, `${staged}/old-${position}`, entry));
    }
    for (const [position, entry] of entries.entries()) {
      if (isFileMode(entry.newMode)) done.push(await put(root, `${staged}/${position}`, `${staged}/old-${position}`, entry.path));
    }
  } catch (error) {
    await undo();
    throw error;
  }
  return undo;
}

async function remove(root: string, kept: string, { path, newMode }: RawEntry): Promise<() => Promise<void>> {
  const target = at(root, path);
  const found = await statAt(root, path);
  if (newMode === GITLINK) {
    if (found !== undefined && !found.isDirectory()) await unlink(target);
    await ensureParents(root, `${path}/`);
    return async () => undefined;
  }
  if (found === undefined || found.isDirectory()) return async () => undefined;
  await rename(target, kept);
  await removeEmptyParents(root, path);
  return async () => {
    await ensureParents(root, path);
    await rename(kept, target);
  };
}

async function put(root: string, staged: string, kept: string, path: string): Promise<() => Promise<void>> {
  const target = at(root, path);
  await ensureParents(root, path);
  const found = await statAt(root, path);
  if (found?.isDirectory() === true) await rmdir(target);
  const had = found !== undefined && !found.isDirectory();
  // A hard link keeps the old file while the new one replaces it by a rename.
  if (had) await secondName(target, kept);
  renameSync(staged, target);
  return async () => {
    if (had) return rename(kept, target);
    await unlink(target);
    // The undo may restore a file where a folder was made for this one.
    await removeEmptyParents(root, path);
  };
}

/** A hard link, or a copy if the file system has none. */
async function secondName(target: Buffer, kept: string): Promise<void> {
  try {
    linkSync(target, kept);
  } catch {
    await copyFile(target, kept);
  }
}

/** Every folder on the way must be a real one, not a link. */
async function ensureParents(root: string, path: string): Promise<void> {
  for (let end = path.indexOf("/"); end >= 0; end = path.indexOf("/", end + 1)) {
    const parent = path.slice(0, end);
    const found = await statAt(root, parent);
    if (found === undefined) mkdirSync(at(root, parent));
    else if (!found.isDirectory()) {
      throw new SlipwayError("path_out_of_bounds", `${path} would be written through ${parent}, which is not a folder.`, { file: parent });
    }
  }
}

async function removeEmptyParents(root: string, path: string): Promise<void> {
  for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
    const emptied = await rmdir(at(root, path.slice(0, end))).then(
      () => true,
      () => false,
    );
    if (!emptied) return;
  }
}

/** The paths from the root of all files and links below a folder. */
export async function filesBelow(root: string, path: string, skip: (path: string) => boolean = () => false): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(at(root, path), { withFileTypes: true, encoding: "buffer" })) {
    const child = `${path}/${decode(entry.name)}`;
    if (skip(child)) continue;
    // Not spread into arguments, which have a limit.
    if (entry.isDirectory()) for (const below of await filesBelow(root, child, skip)) found.push(below);
    else if (entry.isFile() || entry.isSymbolicLink()) found.push(child);
  }
  return found;
}

/**
 * Paths that are in the way of the entries: a file where a folder is needed, a folder with other files where a file is
 * needed. Paths that the same entries delete do not count.
 */
export async function obstacles(root: string, entries: readonly RawEntry[]): Promise<string[]> {
  const leaving = new Set(entries.filter(({ newMode }) => newMode === ABSENT).map(({ path }) => path));
  const found = new Set<string>();
  for (const { path, newMode } of entries) {
    if (!isFileMode(newMode)) continue;
    for (let end = path.indexOf("/"); end >= 0; end = path.indexOf("/", end + 1)) {
      const parent = path.slice(0, end);
      const there = await statAt(root, parent);
      if (there !== undefined && !there.isDirectory() && !leaving.has(parent)) found.add(parent);
      if (there === undefined || !there.isDirectory()) break;
    }
    if ((await statAt(root, path))?.isDirectory() !== true) continue;
    for (const file of await filesBelow(root, path)) if (!leaving.has(file)) found.add(file);
  }
  return [...found];
}

export function isFileMode(mode: string): boolean {
  return mode !== ABSENT && mode !== GITLINK;
}
