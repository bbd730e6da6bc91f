import { chmodSync, fchmodSync, lstatSync, readdirSync } from "node:fs";
import { dirname } from "node:path";
import { inFolderOf, openClosedFolder } from "../../host/files/beneath.ts";
import { removeTreeNow } from "../../host/files/remove-tree.ts";
import { at } from "../../host/git/files.ts";
import { decodePath, splitZero } from "../../host/git/names.ts";
import { moveFiles } from "../../host/git/snapshot.ts";
import type { Rooms } from "../feature/dependencies.ts";
import type { Feature } from "../feature/store.ts";

/** A worktree as it was before a step: which file stood where, and how open its folders were. */
export interface Standing {
  readonly folders: ReadonlyMap<string, number>;
  readonly files: ReadonlySet<string>;
  /** The files that are not as they were, in content, mode or attributes; only the owner of the clock can hide a change. */
  touched(): readonly string[];
}

export function standAt(worktree: string, paths: readonly string[]): Standing {
  const marks = new Map(paths.map((path) => [path, markOf(worktree, path)]));
  const folders = new Map<string, number>();
  for (const path of paths)
    for (let folder = dirname(path); !folders.has(folder); folder = dirname(folder)) {
      folders.set(folder, lstatSync(at(worktree, folder), { throwIfNoEntry: false })?.mode ?? 0o755);
    }
  const touched = () => [...marks].flatMap(([path, mark]) => (markOf(worktree, path) === mark ? [] : [path]));
  return { folders, files: new Set(paths), touched };
}

/** Its time of change is set by the kernel, whatever a command does to the others. */
function markOf(worktree: string, path: string): string | null {
  try {
    const found = lstatSync(at(worktree, path), { bigint: true, throwIfNoEntry: false });
    return found === undefined ? null : `${found.ino} ${found.ctimeNs} ${found.mode}`;
  } catch {
    return null;
  }
}

/** Longer paths cannot be named to git, which has to read what it keeps. */
const LONGEST_PATH = 3_000;
const DEEPEST = 400;

/**
 * Makes what a step left such that git can read and keep it: closed folders and files are opened, and what lies too deep to be named is
 * removed.
 */
export function makeReadable(worktree: string, { folders, files }: Standing, before: readonly string[]): void {
  const known = new Set(before);
  for (const [path, mode] of [...folders].toSorted(([left], [right]) => left.length - right.length)) {
    const place = path === "." ? "." : `${path}/.`;
    const isFolder = attempt(() => inFolderOf(worktree, place, () => undefined, { open: true }));
    if (!isFolder) continue;
    inFolderOf(worktree, place, (folder) => {
      for (const entry of readdirSync(folder, { withFileTypes: true, encoding: "buffer" })) {
        const name = decodePath(entry.name);
        const inTree = path === "." ? name : `${path}/${name}`;
        if (folders.has(inTree) || known.has(inTree) || inTree === ".git") continue;
        const file = Buffer.concat([Buffer.from(`${folder}/`), entry.name]);
        if (entry.isDirectory()) openBelow(file, inTree.length, 1);
        else if (entry.isFile() && !(files.has(inTree) && isOpen(file))) chmodSync(file, 0o644);
      }
    });
    chmodFolder(worktree, place, mode);
  }
}

function isOpen(file: Buffer): boolean {
  return (lstatSync(file).mode & 0o600) === 0o600;
}

function openBelow(path: Buffer, length: number, depth: number): void {
  using folder = openClosedFolder(path);
  for (const entry of readdirSync(folder.place, { withFileTypes: true, encoding: "buffer" })) {
    const file = Buffer.concat([Buffer.from(`${folder.place}/`), entry.name]);
    const end = length + 1 + entry.name.length;
    if (end > LONGEST_PATH || depth > DEEPEST) removeTreeNow(file);
    else if (entry.isDirectory()) openBelow(file, end, depth + 1);
    else if (entry.isFile() && !isOpen(file)) chmodSync(file, 0o644);
  }
}

function chmodFolder(worktree: string, place: string, mode: number): void {
  inFolderOf(worktree, place, (folder) => {
    using opened = openClosedFolder(folder);
    if (opened.descriptor !== null) fchmodSync(opened.descriptor, mode & 0o7777);
  });
}

function attempt(work: () => void): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}

/** Files whose content was restored or never changed get a new place on the disk, so that no mode or attribute stays on the old one. */
export async function rewriteTouched(
  { repository, layout }: Rooms,
  { id, worktree, tree }: Feature,
  paths: readonly string[],
): Promise<void> {
  if (paths.length === 0) return;
  const wanted = new Set(paths);
  const listing = (await (await repository.vault()).run(["ls-tree", "-r", "-z", "--full-tree", tree])).stdout;
  const entries = splitZero(listing).flatMap((line) => {
    const tab = line.indexOf("\t");
    const path = decodePath(line.subarray(tab + 1));
    const [mode = "", kind, oid = ""] = line.subarray(0, tab).toString().split(" ");
    if (!wanted.has(path) || kind !== "blob") return [];
    return [{ path, status: "M" as const, oldMode: mode, newMode: mode, oldOid: oid, newOid: oid }];
  });
  await moveFiles(repository, worktree, entries, { indexFile: layout.indexFile(id) });
}
