import type { IndexEntry } from "./index-file.ts";
import { decodePath, encodePath } from "./names.ts";
import { GITLINK } from "./raw.ts";
import type { Repository } from "./repository.ts";
import { readObjects, writeTree } from "./residents.ts";

/** What is to stand at a path; null for nothing. */
export type TreeEdits = ReadonlyMap<string, IndexEntry | null>;

const FOLDER = "040000";

/** How one index differs from another. */
export function editsBetween(before: ReadonlyMap<string, IndexEntry>, after: ReadonlyMap<string, IndexEntry>): TreeEdits {
  const edits = new Map<string, IndexEntry | null>();
  for (const path of before.keys()) if (!after.has(path)) edits.set(path, null);
  for (const [path, entry] of after) {
    const old = before.get(path);
    if (old?.oid !== entry.oid || old.mode !== entry.mode) edits.set(path, entry);
  }
  return edits;
}

/** The tree with the edits made; null when nothing is left. Only the folders on the way to an edit are written. */
export async function editTree(repo: Repository, tree: string | null, edits: TreeEdits): Promise<string | null> {
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
  // A file may go where a folder comes, and the other way round: what goes, goes first.
  for (const [name, entry] of here) if (entry === null) entries.delete(name);
  for (const [name, inside] of below) {
    const old = entries.get(name);
    const oid = await editTree(repo, old?.mode === FOLDER ? old.oid : null, inside);
    if (oid !== null) entries.set(name, { mode: FOLDER, oid });
    else if (old?.mode === FOLDER) entries.delete(name);
  }
  for (const [name, entry] of here) if (entry !== null) entries.set(name, entry);
  return entries.size === 0
    ? null
    : writeTree(
        repo,
        [...entries].map(([name, entry]) => line(name, entry)),
      );
}

function line(name: string, { mode, oid }: IndexEntry): Buffer {
  const type = mode === FOLDER ? "tree" : mode === GITLINK ? "commit" : "blob";
  return Buffer.concat([Buffer.from(`${mode} ${type} ${oid}\t`), encodePath(name), Buffer.from([0])]);
}

/** `<mode> <name>` NUL and the bytes of the id, one after the other. */
async function entriesOf(repo: Repository, tree: string): Promise<Map<string, IndexEntry>> {
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
