import { lstatSync, readdirSync, readFileSync, readlinkSync, type Stats } from "node:fs";
import { join } from "node:path";
import { at, blobId } from "../files.ts";
import { decodePath } from "../names.ts";
import { ABSENT, type RawEntry } from "../raw.ts";
import type { Repository } from "../repository.ts";

/** A file of a tree. */
export interface TrackedFile {
  readonly path: string;
  readonly oid: string;
}

/**
 * The stats of a worktree at the time when git found it equal to a tree. As long as every file and folder has the same inode, size
 * and times, it is still equal. If a time is so young that a second change might not show, the content is compared, too.
 */
export interface CachedWorktree {
  readonly tree: string;
  readonly files: Map<string, { readonly oid: string; seen: Seen }>;
  /** With their ignored names. "" is the worktree itself. */
  readonly folders: Map<string, { readonly ignored: ReadonlySet<string>; seen: Seen }>;
  /** Files outside the tree that matter: git's pointer and the repository's own ignore rules. */
  readonly others: ReadonlyMap<string, string>;
}

interface Seen {
  readonly place: string | Buffer;
  readonly stats: Stats;
  /** The mtime may be shared with a second change, so the content must be compared once more, later. */
  readonly young: boolean;
}

/** Above this number git is faster. */
const MOST_FILES = 1_500;
const MOST_YOUNG = 200;
const IF_ANY = { throwIfNoEntry: false } as const;
/** Longer than the coarsest clock tick of a file system. */
const YOUNG_MS = 2_500;

const caches = new WeakMap<Repository, Map<string, CachedWorktree>>();

export function cacheWorktree(repo: Repository, worktree: string, cached: CachedWorktree): void {
  const all = caches.get(repo) ?? new Map<string, CachedWorktree>();
  caches.set(repo, all.set(worktree, cached));
}

export function forgetWorktree(repo: Repository, worktree: string): void {
  caches.get(repo)?.delete(worktree);
}

export function lastCached(repo: Repository, worktree: string): CachedWorktree | undefined {
  return caches.get(repo)?.get(worktree);
}

export function cachedAt(repo: Repository, worktree: string, tree: string): CachedWorktree | undefined {
  const cached = lastCached(repo, worktree);
  return cached?.tree === tree ? cached : undefined;
}

/** The ignored names in the folders of the tree. */
export function namesBeside({ folders }: CachedWorktree): string[] {
  return [...folders].flatMap(([folder, { ignored }]) => [...ignored].map((name) => child(folder, name)));
}

/** Reads the current stats, and the names in the folders that are not in the tree. Null if a file is missing or there are too many. */
export function observe(
  repo: Repository,
  worktree: string,
  tree: string,
  files: readonly TrackedFile[],
): { cached: CachedWorktree; unknown: string[] } | null {
  if (files.length > MOST_FILES) return null;
  const cached: CachedWorktree = { tree, files: new Map(), folders: new Map(), others: othersOf(repo, worktree) };
  const unknown: string[] = [];
  const tracked = new Set(files.map(({ path }) => path));
  const folders = foldersOf(files.map(({ path }) => path));
  for (const { path, oid } of files) {
    const seen = see(worktree, path);
    if (seen === null) return null;
    cached.files.set(path, { oid, seen });
  }
  for (const folder of folders) {
    const seen = see(worktree, folder);
    if (seen === null) return null;
    const strange = namesIn(worktree, folder).filter((name) => !tracked.has(child(folder, name)) && !folders.has(child(folder, name)));
    // A change of untracked ignore rules would go unnoticed.
    if (strange.includes(".gitignore")) return null;
    unknown.push(...strange.map((name) => child(folder, name)));
    cached.folders.set(folder, { ignored: new Set(strange), seen });
  }
  return { cached, unknown };
}

/** Whether nothing has changed. An entry that is no longer young is compared by its stats alone from now on. */
export function isUnchanged({ objectFormat }: Repository, worktree: string, cached: CachedWorktree): boolean {
  if (youngOnes(cached.files) + youngOnes(cached.folders) > MOST_YOUNG) return false;
  for (const [name, signature] of cached.others) if (signatureOf(name) !== signature) return false;
  for (const [path, file] of cached.files) {
    const now = seePlace(file.seen.place);
    if (now === null || !isSame(now.stats, file.seen.stats)) return false;
    if (file.seen.young && blobIdOf(worktree, path, objectFormat) !== file.oid) return false;
    file.seen = now;
  }
  for (const [folder, known] of cached.folders) {
    const now = seePlace(known.seen.place);
    if (now === null || !isSame(now.stats, known.seen.stats)) return false;
    if (known.seen.young && !hasNames(worktree, cached, folder)) return false;
    known.seen = now;
  }
  return true;
}

/** The cache entry after a change of some files by Slipway; null if something else changed as well. */
export function afterChange(worktree: string, cached: CachedWorktree, tree: string, entries: readonly RawEntry[]): CachedWorktree | null {
  const files = new Map(cached.files);
  for (const { path, newMode, newOid } of entries) {
    const seen = newMode === ABSENT ? null : see(worktree, path);
    if (newMode === ABSENT) files.delete(path);
    else if (seen === null) return null;
    else files.set(path, { oid: newOid, seen: { ...seen, young: true } });
  }
  const folders: CachedWorktree["folders"] = new Map();
  const onTheWay = foldersOf(entries.map(({ path }) => path));
  const changed: string[] = [];
  const next: CachedWorktree = { ...cached, tree, files, folders };
  for (const folder of foldersOf(files.keys())) {
    const known = cached.folders.get(folder);
    const seen = known === undefined || onTheWay.has(folder) ? see(worktree, folder) : known.seen;
    if (seen === null) return null;
    // A change in a subfolder does not change the folder itself.
    const isSeen = known !== undefined && isSame(known.seen.stats, seen.stats);
    if (!isSeen) changed.push(folder);
    folders.set(folder, { ignored: known?.ignored ?? new Set(), seen: isSeen ? known.seen : { ...seen, young: true } });
  }
  return changed.every((folder) => hasNames(worktree, next, folder)) ? next : null;
}

/** The same without a cache, by reading every folder. */
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

/** Times are compared with sub-microsecond precision. */
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

/** Without git's own pointer, which is in no tree. */
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
