import { chmodSync, fchmodSync, lstatSync, readdirSync } from "node:fs";
import { dirname } from "node:path";
import { inFolderOf, openClosedFolder } from "../../host/files/beneath.ts";
import { inSlices } from "../../host/files/in-slices.ts";
import { removal } from "../../host/files/remove-tree.ts";
import { at } from "../../host/git/files.ts";
import { decodePath, splitZero } from "../../host/git/names.ts";
import { moveFiles } from "../../host/git/snapshot.ts";
import type { FeatureDependencies } from "../feature/dependencies.ts";
import type { Feature } from "../feature/store.ts";

/** A worktree before a step: its files, and the modes of its folders. */
export interface TreeBefore {
  readonly folders: ReadonlyMap<string, number>;
  readonly files: ReadonlySet<string>;
  /** Files whose content, mode or attributes have changed. Only a process that can set the clock can hide a change. */
  touched(): readonly string[];
}

export function captureTree(worktree: string, paths: readonly string[]): TreeBefore {
  const marks = new Map(paths.map((path) => [path, markOf(worktree, path)]));
  const folders = new Map<string, number>();
  for (const path of paths)
    for (let folder = dirname(path); !folders.has(folder); folder = dirname(folder)) {
      folders.set(folder, lstatSync(at(worktree, folder), { throwIfNoEntry: false })?.mode ?? 0o755);
    }
  const touched = () => [...marks].flatMap(([path, mark]) => (markOf(worktree, path) === mark ? [] : [path]));
  return { folders, files: new Set(paths), touched };
}

/** The kernel sets the ctime of a file, whatever a command does to its other times. */
function markOf(worktree: string, path: string): string | null {
  try {
    const stats = lstatSync(at(worktree, path), { bigint: true, throwIfNoEntry: false });
    return stats === undefined ? null : `${stats.ino} ${stats.ctimeNs} ${stats.mode}`;
  } catch {
    return null;
  }
}

/** git cannot read longer paths. */
const LONGEST_PATH = 3_000;
const DEEPEST = 400;

/** Makes the output of a step readable for git: opens closed folders and files, and removes paths that are too deep. */
export function makeReadable(worktree: string, { folders, files }: TreeBefore, before: readonly string[]): void {
  const known = new Set(before);
  for (const [path, mode] of [...folders].toSorted(([left], [right]) => left.length - right.length)) {
    const target = path === "." ? "." : `${path}/.`;
    const isFolder = attempt(() => inFolderOf(worktree, target, () => undefined, { open: true }));
    if (!isFolder) continue;
    inFolderOf(worktree, target, (folder) => {
      for (const entry of readdirSync(folder, { withFileTypes: true, encoding: "buffer" })) {
        const name = decodePath(entry.name);
        const inTree = path === "." ? name : `${path}/${name}`;
        if (folders.has(inTree) || known.has(inTree) || inTree === ".git") continue;
        const file = Buffer.concat([Buffer.from(`${folder}/`), entry.name]);
        if (entry.isDirectory()) for (const _ of opening(file, inTree.length, 1));
        else if (entry.isFile() && !(files.has(inTree) && isOpen(file))) chmodSync(file, 0o644);
      }
    });
    chmodFolder(worktree, target, mode);
  }
}

function isOpen(file: Buffer): boolean {
  return (lstatSync(file).mode & 0o600) === 0o600;
}

/** Does this to a whole worktree, whoever made what is in it and how much. */
export async function openWorktree(worktree: string): Promise<void> {
  await inSlices(opening(Buffer.from(worktree), -1, 0));
}

const LOOKS_AT_ONCE = 256;

/** Pauses often. */
function* opening(path: Buffer, length: number, depth: number): Generator<void> {
  let looked = 0;
  using folder = openClosedFolder(path);
  for (const entry of readdirSync(folder.place, { withFileTypes: true, encoding: "buffer" })) {
    const file = Buffer.concat([Buffer.from(`${folder.place}/`), entry.name]);
    const end = length + 1 + entry.name.length;
    if (++looked % LOOKS_AT_ONCE === 0) yield;
    if (end > LONGEST_PATH || depth > DEEPEST) yield* removal(file);
    else if (entry.isDirectory()) yield* opening(file, end, depth + 1);
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

/** Recreates files whose content was restored or never changed, so that the new inode has no changed mode or attribute. */
export async function rewriteTouched(
  { repository, layout }: FeatureDependencies,
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
