import type { IndexEntry } from "./index-file.ts";
import { decodePath, encodePath } from "../names.ts";
import { newObject, writeObjects, type NewObject } from "./loose-objects.ts";
import type { Repository } from "../repository.ts";
import { readObjects } from "./git-queries.ts";

/** The new entry at each path; null to remove it. */
export type TreeEdits = ReadonlyMap<string, IndexEntry | null>;

const FOLDER = "040000";

/** The edits that turn one index into another. */
export function editsBetween(before: ReadonlyMap<string, IndexEntry>, after: ReadonlyMap<string, IndexEntry>): TreeEdits {
  const edits = new Map<string, IndexEntry | null>();
  for (const path of before.keys()) if (!after.has(path)) edits.set(path, null);
  for (const [path, entry] of after) {
    const old = before.get(path);
    if (old?.oid !== entry.oid || old.mode !== entry.mode) edits.set(path, entry);
  }
  return edits;
}

export interface EditedTree {
  readonly tree: string;
  /** The trees that were written for it. Their directory entries are synced only after `syncFolders`. */
  readonly written: readonly string[];
}

/** The tree with the edits; null if it becomes empty. Writes only the folders on the way to an edit. */
export async function editTree(repo: Repository, tree: string | null, edits: TreeEdits): Promise<EditedTree | null> {
  const objects: NewObject[] = [];
  const oid = await edited(repo, tree, edits, objects);
  if (oid === null) return null;
  await writeObjects(repo, objects);
  return { tree: oid, written: objects.map((object) => object.oid) };
}

async function edited(repo: Repository, tree: string | null, edits: TreeEdits, objects: NewObject[]): Promise<string | null> {
  const entries = tree === null ? new Map<string, IndexEntry>() : await entriesOf(repo, tree);
  const [here, below] = [new Map<string, IndexEntry | null>(), new Map<string, Map<string, IndexEntry | null>>()];
  for (const [path, entry] of edits) {
    const end = path.indexOf("/");
    if (end < 0) here.set(path, entry);
    else
      below.set(
        path.slice(0, end),
        (below.get(path.slice(0, end)) ?? new Map<string, IndexEntry | null>()).set(path.slice(end + 1), entry),
      );
  }
  // Remove first: a file may be replaced by a folder, and the other way round.
  for (const [name, entry] of here) if (entry === null) entries.delete(name);
  for (const [name, inside] of below) {
    const old = entries.get(name);
    const oid = await edited(repo, old?.mode === FOLDER ? old.oid : null, inside, objects);
    if (oid !== null) entries.set(name, { mode: FOLDER, oid });
    else if (old?.mode === FOLDER) entries.delete(name);
  }
  for (const [name, entry] of here) if (entry !== null) entries.set(name, entry);
  if (entries.size === 0) return null;
  const object = newObject("tree", treeBytes(entries), repo.objectFormat);
  objects.push(object);
  remember(repo, object.oid, entries);
  return object.oid;
}

/** Entries are sorted by bytes, a folder as if its name ended with a slash; modes have no leading zero. */
function treeBytes(entries: ReadonlyMap<string, IndexEntry>): Buffer {
  const lines = Array.from(entries, ([name, { mode, oid }]) => {
    const bytes = encodePath(name);
    return { mode, oid, bytes, key: mode === FOLDER ? Buffer.concat([bytes, Buffer.from("/")]) : bytes };
  });
  lines.sort((left, right) => Buffer.compare(left.key, right.key));
  return Buffer.concat(
    lines.flatMap(({ mode, oid, bytes }) => [Buffer.from(`${mode.replace(/^0/, "")} `), bytes, NUL, Buffer.from(oid, "hex")]),
  );
}

const NUL = Buffer.from([0]);

/** Parses a sequence of `<mode> <name>` NUL and the bytes of the id. */
async function entriesOf(repo: Repository, tree: string): Promise<Map<string, IndexEntry>> {
  const cached = known.get(repo)?.get(tree);
  if (cached !== undefined) return new Map(cached);
  const [object] = await readObjects(repo, [tree]);
  const bytes = object?.type === "tree" ? object.bytes : Buffer.alloc(0);
  const oidBytes = tree.length / 2;
  const entries = new Map<string, IndexEntry>();
  for (let at = 0; at < bytes.length;) {
    const space = bytes.indexOf(32, at);
    const end = bytes.indexOf(0, space);
    const mode = bytes.toString("latin1", at, space).padStart(6, "0");
    entries.set(decodePath(bytes.subarray(space + 1, end)), { mode, oid: bytes.toString("hex", end + 1, end + 1 + oidBytes) });
    at = end + 1 + oidBytes;
  }
  return entries;
}

/** Cache: the content of an id never changes, and successive patches mostly touch the same folders. */
const known = new WeakMap<Repository, Map<string, ReadonlyMap<string, IndexEntry>>>();
const MOST_KNOWN = 100;
const MOST_ENTRIES = 2_000;

function remember(repo: Repository, tree: string, entries: ReadonlyMap<string, IndexEntry>): void {
  if (entries.size > MOST_ENTRIES) return;
  const trees = known.get(repo) ?? new Map<string, ReadonlyMap<string, IndexEntry>>();
  known.set(repo, trees);
  trees.set(tree, entries);
  const [oldest] = trees.keys();
  if (trees.size > MOST_KNOWN && oldest !== undefined) trees.delete(oldest);
}
