import { lstatSync, readdirSync, readFileSync, readlinkSync, type Stats } from "node:fs";
import { join } from "node:path";
import { at, blobId } from "../files.ts";
import { decodePath } from "../names.ts";
import { ABSENT, type RawEntry } from "../raw.ts";
import type { Repository } from "../repository.ts";

/** A file that a tree has. */
export interface TrackedFile {
  readonly path: string;
  readonly oid: string;
}

/**
 * What a worktree looked like when git found that it holds a tree. As long as every file and folder has the same inode, size
 * and times, it still does; where a time is so young that a second change might not show, the content is looked at, too.
 */
export interface CachedWorktree {
  readonly tree: string;
  readonly files: Map<string, { readonly oid: string; seen: Seen }>;
  /** With the names in them that git ignores. "" is the worktree itself. */
  readonly folders: Map<string, { readonly ignored: ReadonlySet<string>; seen: Seen }>;
  /** Outside the tree and yet decisive: git's pointer, and the repository's own ignore rules. */
  readonly others: ReadonlyMap<string, string>;
}

interface Seen {
  readonly place: string | Buffer;
  readonly stats: Stats;
  /** Until this has been looked at once more, later: its time may be that of a second change. */
  readonly young: boolean;
}

/** Beyond this, git looks faster than we do. */
const MOST_FILES = 1_500;
const MOST_YOUNG = 200;
const IF_ANY = { throwIfNoEntry: false } as const;
/** More than the coarsest clock of a file system. */
const YOUNG_MS = 2_500;

const standings = new WeakMap<Repository, Map<string, CachedWorktree>>();

export function rememberStanding(repo: Repository, worktree: string, standing: CachedWorktree): void {
  const all = standings.get(repo) ?? new Map<string, CachedWorktree>();
  standings.set(repo, all.set(worktree, standing));
}

export function forgetStanding(repo: Repository, worktree: string): void {
  standings.get(repo)?.delete(worktree);
}

export function standingBefore(repo: Repository, worktree: string): CachedWorktree | undefined {
  return standings.get(repo)?.get(worktree);
}

export function standingOf(repo: Repository, worktree: string, tree: string): CachedWorktree | undefined {
  const standing = standingBefore(repo, worktree);
  return standing?.tree === tree ? standing : undefined;
}

/** What stands in the folders of the tree and is none of its: ignored, as git said. */
export function namesBeside({ folders }: CachedWorktree): string[] {
  return [...folders].flatMap(([folder, { ignored }]) => [...ignored].map((name) => child(folder, name)));
}

/** The standing as it is now, with the names in its folders that no tree has; null when a file is missing or there are too many. */
export function observe(
  repo: Repository,
  worktree: string,
  tree: string,
  files: readonly TrackedFile[],
): { standing: CachedWorktree; unknown: string[] } | null {
  if (files.length > MOST_FILES) return null;
  const standing: CachedWorktree = { tree, files: new Map(), folders: new Map(), others: othersOf(repo, worktree) };
  const unknown: string[] = [];
  const tracked = new Set(files.map(({ path }) => path));
  const folders = foldersOf(files.map(({ path }) => path));
  for (const { path, oid } of files) {
    const seen = see(worktree, path);
    if (seen === null) return null;
    standing.files.set(path, { oid, seen });
  }
  for (const folder of folders) {
    const seen = see(worktree, folder);
    if (seen === null) return null;
    const strange = namesIn(worktree, folder).filter((name) => !tracked.has(child(folder, name)) && !folders.has(child(folder, name)));
    // Rules that no tree has could change without a sign.
    if (strange.includes(".gitignore")) return null;
    unknown.push(...strange.map((name) => child(folder, name)));
    standing.folders.set(folder, { ignored: new Set(strange), seen });
  }
  return { standing, unknown };
}

/** Whether everything is as it was. What was young and is not any more counts from now on without a look inside. */
export function stillStands({ objectFormat }: Repository, worktree: string, standing: CachedWorktree): boolean {
  if (youngOnes(standing.files) + youngOnes(standing.folders) > MOST_YOUNG) return false;
  for (const [name, signature] of standing.others) if (signatureOf(name) !== signature) return false;
  for (const [path, file] of standing.files) {
    const now = seePlace(file.seen.place);
    if (now === null || !isSame(now.stats, file.seen.stats)) return false;
    if (file.seen.young && blobIdOf(worktree, path, objectFormat) !== file.oid) return false;
    file.seen = now;
  }
  for (const [folder, known] of standing.folders) {
    const now = seePlace(known.seen.place);
    if (now === null || !isSame(now.stats, known.seen.stats)) return false;
    if (known.seen.young && !hasNames(worktree, standing, folder)) return false;
    known.seen = now;
  }
  return true;
}

/** The standing after our own change of some files; null when something else changed beside it. */
export function followed(worktree: string, standing: CachedWorktree, tree: string, entries: readonly RawEntry[]): CachedWorktree | null {
  const files = new Map(standing.files);
  for (const { path, newMode, newOid } of entries) {
    const seen = newMode === ABSENT ? null : see(worktree, path);
    if (newMode === ABSENT) files.delete(path);
    else if (seen === null) return null;
    else files.set(path, { oid: newOid, seen: { ...seen, young: true } });
  }
  const folders: CachedWorktree["folders"] = new Map();
  const onTheWay = foldersOf(entries.map(({ path }) => path));
  const changed: string[] = [];
  const next: CachedWorktree = { ...standing, tree, files, folders };
  for (const folder of foldersOf(files.keys())) {
    const known = standing.folders.get(folder);
    const seen = known === undefined || onTheWay.has(folder) ? see(worktree, folder) : known.seen;
    if (seen === null) return null;
    // A change further down leaves a folder as it was.
    const isSeen = known !== undefined && isSame(known.seen.stats, seen.stats);
    if (!isSeen) changed.push(folder);
    folders.set(folder, { ignored: known?.ignored ?? new Set(), seen: isSeen ? known.seen : { ...seen, young: true } });
  }
  return changed.every((folder) => hasNames(worktree, next, folder)) ? next : null;
}

/** The same by reading every folder, where nothing is remembered. */
export function untrackedNames(worktree: string, paths: readonly string[]): string[] {
  const [tracked, folders] = [new Set(paths), foldersOf(paths)];
  return [...folders].flatMap((folder) =>
    namesIn(worktree, folder)
      .map((name) => child(folder, name))
      .filter((path) => !tracked.has(path) && !folders.has(path)),
  );
}

function hasNames(worktree: string, { files, folders }: CachedWorktree, folder: string): boolean {
  const ignored = folders.get(folder)?.ignored;
  return namesIn(worktree, folder).every((name) => {
    const path = child(folder, name);
    return files.has(path) || folders.has(path) || ignored?.has(name) === true;
  });
}

function see(worktree: string, path: string): Seen | null {
  return seePlace(path === "" ? worktree : path.isWellFormed() ? `${worktree}/${path}` : at(worktree, path));
}

function seePlace(place: string | Buffer): Seen | null {
  const stats = lstatSync(place, IF_ANY);
  return stats === undefined ? null : { place, stats, young: stats.ctimeMs > Date.now() - YOUNG_MS };
}

function youngOnes(seen: ReadonlyMap<string, { readonly seen: Seen }>): number {
  let count = 0;
  for (const {
    seen: { young },
  } of seen.values())
    if (young) count++;
  return count;
}

/** Times are compared to a fraction of a microsecond. */
function isSame(left: Stats, right: Stats): boolean {
  return (
    left.ino === right.ino &&
    left.ctimeMs === right.ctimeMs &&
    left.mtimeMs === right.mtimeMs &&
    left.size === right.size &&
    left.mode === right.mode &&
    left.dev === right.dev
  );
}

function signatureOf(path: string): string {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats === undefined ? "" : [stats.dev, stats.ino, stats.mode, stats.size, stats.mtimeMs, stats.ctimeMs].join(" ");
}

function othersOf({ commonDir }: Repository, worktree: string): Map<string, string> {
  return new Map([join(worktree, ".git"), join(commonDir, "info", "exclude")].map((path) => [path, signatureOf(path)]));
}

/** git's own pointer stands in no tree. */
function namesIn(worktree: string, folder: string): string[] {
  const names = readdirSync(folder === "" ? worktree : at(worktree, folder), { encoding: "buffer" }).map((name) => decodePath(name));
  return folder === "" ? names.filter((name) => name !== ".git") : names;
}

function child(folder: string, name: string): string {
  return folder === "" ? name : `${folder}/${name}`;
}

function foldersOf(paths: Iterable<string>): Set<string> {
  const folders = new Set([""]);
  for (const path of paths) for (let end = path.indexOf("/"); end >= 0; end = path.indexOf("/", end + 1)) folders.add(path.slice(0, end));
  return folders;
}

function blobIdOf(worktree: string, path: string, algorithm: string): string {
  const place = at(worktree, path);
  return blobId(lstatSync(place).isSymbolicLink() ? readlinkSync(place, { encoding: "buffer" }) : readFileSync(place), algorithm);
}
