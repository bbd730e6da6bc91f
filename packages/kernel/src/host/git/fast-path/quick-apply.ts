import { copyFileSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { removeTreeNow } from "../../files/remove-tree.ts";
import { parseIndex } from "./index-file.ts";
import { lineDiff, type LineDiff } from "../line-diff.ts";
import { scratchName } from "../worktree-record.ts";
import { ABSENT, type RawEntry } from "../raw.ts";
import type { Repository } from "../repository.ts";
import type { Git } from "../runner.ts";
import { prestartedPool, type PrestartedPool } from "./prestarted-git.ts";
import { editsBetween, editTree, type TreeEdits } from "./tree-edit.ts";

export const APPLY = ["apply", "--cached", "-p1", "--whitespace=nowarn", "-"];

export interface QuickApplied {
  readonly tree: string;
  /** The difference between the base and the tree. */
  readonly own: LineDiff;
  /** An index with the tree. */
  readonly index: Buffer;
  /** The objects that were written for the tree, if known. */
  readonly written?: readonly string[];
}

interface Bench {
  readonly git: Git;
  readonly indexFile: string;
}

const benches = new WeakMap<Repository, PrestartedPool<Bench>>();

/**
 * Applies the patch with an existing index of the base, in a single git process that may be prestarted. Null if the patch does
 * not apply, or if the index is not what it should be: then git must read the base itself.
 */
export async function applyQuickly(
  repo: Repository,
  baseTree: string,
  knownIndex: string,
  patch: Uint8Array,
): Promise<QuickApplied | null> {
  const waiting = benchesOf(repo);
  const prestarted = waiting.take();
  const bench = prestarted?.own ?? (await newBench(repo));
  const { git, indexFile } = bench;
  try {
    copyFileSync(knownIndex, indexFile);
    const before = parseIndex(readFileSync(indexFile), repo.objectFormat);
    const { exitCode } = await git.run(APPLY, { input: patch, allowExit: [1, 128], started: prestarted?.child });
    if (exitCode !== 0) return null;
    const index = readFileSync(indexFile);
    const after = parseIndex(index, repo.objectFormat);
    if (before === null || after === null) return null;
    const edits = editsBetween(before, after);
    const result = await editTree(repo, baseTree, edits);
    if (result === null) return null;
    const { tree } = result;
    const own = await lineDiff(repo, baseTree, tree);
    const written = [...result.written, ...[...edits.values()].flatMap((entry) => entry?.oid ?? [])];
    return agrees(own.entries, edits) ? { tree, own, index, written } : null;
  } finally {
    // Later, while the caller waits for git again.
    setImmediate(() => drop(bench));
    waiting.refill();
  }
}

/** Whether git's comparison of the trees agrees with the edits of the index. */
function agrees(entries: readonly RawEntry[], edits: TreeEdits): boolean {
  return (
    entries.length === edits.size &&
    entries.every(({ path, newMode, newOid }) => {
      const edit = edits.get(path);
      return edit === null ? newMode === ABSENT : edit?.mode === newMode && edit.oid === newOid;
    })
  );
}

function benchesOf(repo: Repository): PrestartedPool<Bench> {
  const found =
    benches.get(repo) ??
    prestartedPool(async () => {
      const own = await newBench(repo);
      return { child: await own.git.start(APPLY), own };
    }, drop);
  benches.set(repo, found);
  return found;
}

async function newBench(repo: Repository): Promise<Bench> {
  const indexFile = join(repo.commonDir, "slipway", "tmp", scratchName(), "index");
  mkdirSync(dirname(indexFile), { recursive: true });
  return { git: await repo.vault({ indexFile }), indexFile };
}

function drop({ indexFile }: Bench): void {
  removeTreeNow(dirname(indexFile));
}
