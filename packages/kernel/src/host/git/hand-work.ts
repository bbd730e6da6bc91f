import { isAnchored } from "./branch.ts";
import { assertNothingUnderWay } from "./checkout.ts";
import { commitTree, datedAt, keepCommit } from "./anchor.ts";
import { KEPT_REFS } from "./kept-branch.ts";
import { rawBetween, type RawEntry } from "./raw.ts";
import type { Repository } from "./repository.ts";
import { snapshotTree, type SnapshotOptions } from "./snapshot.ts";
import { headCommit, readHead, type RecordedWorktree } from "./stand-up.ts";
import { treeOf } from "./fast-path/git-queries.ts";
import { readWriting, type Writing } from "./worktree-writes.ts";
import { join } from "node:path";

export interface CommitByHand {
  readonly commit: string;
  readonly author: string;
  readonly subject: string;
}

/** The differences between a worktree, its branch and the record. */
export interface WorktreeDifference {
  /** The tree of the current files. */
  readonly tree: string;
  /** Differences that the harness did not make: a person's edits. */
  readonly edits: readonly RawEntry[];
  /** Heads of the branch, and of the worktree if different, that the harness did not make. */
  readonly heads: readonly string[];
  readonly commits: readonly CommitByHand[];
  /** A gate that wrote to the worktree was interrupted: its leftovers and a person's later edits cannot be distinguished. */
  readonly gateCutOff: boolean;
}

/** Compares an existing worktree with its record; writes only objects. */
export async function lookFor(repo: Repository, recorded: RecordedWorktree, options: SnapshotOptions = {}): Promise<WorktreeDifference> {
  const head = await readHead(repo, recorded.path);
  if (head !== null) await assertNothingUnderWay({ root: recorded.path, gitDir: join(repo.commonDir, "worktrees", head.id) });
  const writing = cutOff(await readWriting(repo, recorded.path), recorded);
  const tree = await snapshotTree(repo, recorded.path, options);
  const candidates = new Set([await headCommit(repo, recorded.branch), head?.commit ?? null]);
  const heads: string[] = [];
  for (const commit of candidates) {
    if (commit !== null && commit !== writing?.base && !(await isExplained(repo, recorded, commit))) heads.push(commit);
  }
  return {
    tree,
    edits: await editsIn(repo, recorded, tree, writing),
    heads,
    commits: await commitsBelow(repo, recorded, heads),
    gateCutOff: writing !== null && writing.to === null,
  };
}

export function isByHand({ edits, heads }: WorktreeDifference): boolean {
  return edits.length > 0 || heads.length > 0;
}

/** The tree of the feature if the person's work were adopted: the edited files or, if there are none, the person's commit. */
export async function treeByHand(repo: Repository, { edits, heads, tree }: WorktreeDifference): Promise<string> {
  const [head] = heads;
  return edits.length > 0 || head === undefined ? tree : treeOf(repo, head);
}

/** Anchors the person's edits as one commit, with the person's commits as its parents. */
export async function anchorFound(
  repo: Repository,
  { baseCommit }: RecordedWorktree,
  { tree, heads }: WorktreeDifference,
  as: { readonly run: string; readonly step: string; readonly message: string; readonly at: number },
): Promise<{ ref: string; commit: string }> {
  const parents = heads.length === 0 ? [baseCommit] : heads;
  const commit = await commitTree(repo, { tree, parents, message: as.message, env: datedAt(as.at) });
  return { ref: await keepCommit(repo, as, commit), commit };
}

/** The interrupted write, if the record has not caught up with it. */
function cutOff(writing: Writing | null, { tree, baseCommit }: RecordedWorktree): Writing | null {
  if (writing === null || writing.from !== tree) return null;
  return writing.to === tree && writing.base === baseCommit ? null : writing;
}

async function editsIn(repo: Repository, recorded: RecordedWorktree, tree: string, writing: Writing | null): Promise<RawEntry[]> {
  if (tree === recorded.tree || (writing !== null && (writing.to === null || writing.to === tree))) return [];
  const git = await repo.vault();
  const entries = await rawBetween(git, recorded.tree, tree);
  if (writing?.to == null) return entries;
  // Each file is placed by one rename, so after an interruption it is completely old or completely new.
  const placed = new Map((await rawBetween(git, writing.from, writing.to)).map((entry) => [entry.path, entry]));
  return entries.filter(({ path, newMode, newOid }) => placed.get(path)?.newOid !== newOid || placed.get(path)?.newMode !== newMode);
}

/** In the history of the base, made and anchored by the harness, or set aside earlier. */
async function isExplained(repo: Repository, { baseBranch, baseCommit }: RecordedWorktree, commit: string): Promise<boolean> {
  if (commit === baseCommit) return true;
  const containing = ["for-each-ref", "--count=1", "--format=%(refname)", `--contains=${commit}`, `refs/heads/${baseBranch}`, ...KEPT_REFS];
  return (await repo.git.text(containing)) !== "" || (await isAnchored(repo, commit));
}

const MOST_COMMITS = 20;

async function commitsBelow(repo: Repository, recorded: RecordedWorktree, heads: readonly string[]): Promise<CommitByHand[]> {
  if (heads.length === 0) return [];
  const format = "--format=%H%x00%an <%ae>%x00%s";
  const args = ["log", `--max-count=${MOST_COMMITS}`, "--no-show-signature", "-z", format, ...heads, `^${recorded.baseCommit}`];
  const fields = (await repo.git.text([...args, "--"])).split("\0");
  const commits: CommitByHand[] = [];
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [commit = "", author = "", subject = ""] = fields.slice(at, at + 3);
    commits.push({ commit, author, subject });
  }
  return commits;
}
