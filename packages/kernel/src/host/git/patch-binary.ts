import { applyDelta, binaryHunks } from "./binary-hunks.ts";
import { blobId } from "./files.ts";
import { decodePath, splitZero } from "./names.ts";
import type { Offence } from "./patch-rules.ts";
import { ABSENT, type RawEntry } from "./raw.ts";
import type { Git } from "./runner.ts";

interface Patched {
  readonly patch: Uint8Array;
  readonly entries: readonly RawEntry[];
  readonly baseTree: string;
  /** The files that the patch copies or renames. */
  readonly sources: readonly string[];
  readonly maxBytes: number;
  readonly objectFormat: string;
}

/** Limits the deltas tried for one file, against a patch that is made to take forever. */
const MOST_TRIES = 1_000;

/**
 * Finds binary files whose bytes the patch does not contain. For a binary file git uses any existing object that the patch names by
 * id and ignores the data, so an agent that knows an id, such as that of a tree, could read the object. So each result must be the
 * content of a literal, or a delta applied to the file's old content.
 */
export async function undeliveredBinaries(git: Git, patched: Patched): Promise<Offence[]> {
  const { patch, entries, maxBytes, objectFormat } = patched;
  const text = Buffer.from(patch.buffer, patch.byteOffset, patch.byteLength).toString("latin1");
  if (!/^(?:GIT binary patch|Binary files |Files )/m.test(text)) return [];
  const binary = new Set((await patchedFiles(git, patch)).flatMap(({ path, isBinary }) => (isBinary ? [path] : [])));
  const made = entries.filter(({ path, newMode, oldOid, newOid }) => binary.has(path) && newMode !== ABSENT && oldOid !== newOid);
  if (made.length === 0) return [];
  const hunks = binaryHunks(text, maxBytes);
  const delivered = new Set<string>();
  for (const hunk of hunks) {
    const data = hunk.kind === "literal" ? hunk.data() : null;
    if (data !== null) delivered.add(blobId(data, objectFormat));
  }
  const deltas = hunks.filter(({ kind }) => kind === "delta");
  let tries = MOST_TRIES;
  const isDelivered = async (entry: RawEntry): Promise<boolean> => {
    if (delivered.has(entry.newOid)) return true;
    if (deltas.length === 0) return false;
    for await (const old of oldContents(git, entry, patched)) {
      for (const delta of deltas) {
        const data = tries-- > 0 ? delta.data() : null;
        const result = data === null ? null : applyDelta(old, data);
        if (result !== null && blobId(result, objectFormat) === entry.newOid) return true;
      }
    }
    return false;
  };
  const offences: Offence[] = [];
  for (const entry of made) if (!(await isDelivered(entry))) offences.push({ path: entry.path, rule: "binary_without_data" });
  return offences;
}

/** A new file may be renamed or copied from a source. */
async function* oldContents(git: Git, { oldMode, oldOid }: RawEntry, { sources, baseTree }: Patched): AsyncGenerator<Buffer> {
  const names = oldMode === ABSENT ? sources.map((path) => `${baseTree}:${path}`) : [oldOid];
  for (const name of names) {
    const { exitCode, stdout } = await git.run(["cat-file", "blob", name], { allowExit: [128] });
    if (exitCode === 0) yield stdout;
  }
}

export interface PatchedFile {
  readonly path: string;
  readonly isBinary: boolean;
}

/** The files of a patch as git parses it, without applying it. */
export async function patchedFiles(git: Git, patch: Uint8Array): Promise<PatchedFile[]> {
  const { stdout } = await git.run(["apply", "--numstat", "-z", "-p1", "-"], { input: patch, allowExit: [1, 128] });
  return splitZero(stdout).map((line) => {
    const [added, , ...path] = decodePath(line).split("\t");
    return { path: path.join("\t"), isBinary: added === "-" };
  });
}
