import { editTree } from "./fast-path/tree-edit.ts";
import { newObject, writeObjects } from "./fast-path/loose-objects.ts";
import { ABSENT, rawBetween, type RawEntry } from "./raw.ts";
import type { Repository } from "./repository.ts";

export interface RestoredTree {
  readonly tree: string;
  /** From the old tree to the new one. */
  readonly entries: readonly RawEntry[];
  /** Wanted paths that are no files but folders with changes below. */
  readonly folders: readonly string[];
  /** Further paths that the new tree would lose or change: a folder where a file is restored, or the other way round. */
  readonly inTheWay: readonly string[];
  /** The objects that were written. */
  readonly written: readonly string[];
}

/** The tree `now` with these paths as they are in the tree `then`: with the same content and mode, or absent. */
export async function restorePaths(repo: Repository, now: string, then: string, paths: readonly string[]): Promise<RestoredTree> {
  const git = await repo.vault();
  const differing = await rawBetween(git, now, then);
  const wanted = new Set(paths);
  const back = differing.filter(({ path }) => wanted.has(path));
  const folders = paths.filter(
    (path) => !back.some((entry) => entry.path === path) && differing.some((entry) => entry.path.startsWith(`${path}/`)),
  );
  if (back.length === 0) return { tree: now, entries: [], folders, inTheWay: [], written: [] };
  const edits = new Map(
    back.map(({ path, newMode, newOid }) => [path, newMode === ABSENT ? null : { mode: newMode, oid: newOid }] as const),
  );
  const edited = (await editTree(repo, now, edits)) ?? (await emptyTree(repo));
  const entries = await rawBetween(git, now, edited.tree);
  const arrived = new Map(entries.map((entry) => [entry.path, entry]));
  const inTheWay = [
    ...entries.filter(({ path }) => !wanted.has(path)).map(({ path }) => path),
    ...back
      .filter(({ path, newOid, newMode }) => arrived.get(path)?.newOid !== newOid || arrived.get(path)?.newMode !== newMode)
      .map(({ path }) => path),
  ];
  return { ...edited, entries, folders, inTheWay };
}

async function emptyTree(repo: Repository): Promise<Pick<RestoredTree, "tree" | "written">> {
  const object = newObject("tree", Buffer.alloc(0), repo.objectFormat);
  await writeObjects(repo, [object]);
  return { tree: object.oid, written: [object.oid] };
}
