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

/** What stands in a worktree and on its branch, against the record. */
export interface WorktreeDifference {
  /** Of the files as they are. */
  readonly tree: string;
  /** The differences that the harness did not make: a person's edits. */
  readonly edits: readonly RawEntry[];
  /** Heads of the branch, and of the worktree where it has another one, that no act of the harness explains. */
  readonly heads: readonly string[];
  readonly commits: readonly CommitByHand[];
  /** A gate that wrote to the worktree was cut off: what it left and what a person did since cannot be told apart. */
  readonly gateCutOff: boolean;
}

/** Looks at a worktree that stands, and writes no more than objects. */
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

/** What would become of the feature if the person's work were taken over: the files, or where they are the harness's own, the commit. */
export async function treeByHand(repo: Repository, { edits, heads, tree }: WorktreeDifference): Promise<string> {
  const [head] = heads;
  return edits.length > 0 || head === undefined ? tree : treeOf(repo, head);
}

/** Everything that was found, as one commit below a hidden ref. The person's own commits are its parents. */
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

/** Only what has not been recorded since. */
function cutOff(writing: Writing | null, { tree, baseCommit }: RecordedWorktree): Writing | null {
  if (writing === null || writing.from !== tree) return null;
  return writing.to === tree && writing.base === baseCommit ? null : writing;
}

async function editsIn(repo: Repository, recorded: RecordedWorktree, tree: string, writing: Writing | null): Promise<RawEntry[]> {
  if (tree === recorded.tree || (writing !== null && (writing.to === null || writing.to === tree))) return [];
  const git = await repo.vault();
  const entries = await rawBetween(git, recorded.tree, tree);
  if (writing?.to == null) return entries;
  // Each file is placed by one rename, so what was cut off is wholly old or wholly new.
  const placed = new Map((await rawBetween(git, writing.from, writing.to)).map((entry) => [entry.path, entry]));
  return entries.filter(({ path, newMode, newOid }) => placed.get(path)?.newOid !== newOid || placed.get(path)?.newMode !== newMode);
}

/** On the base's own history, a commit the harness made and anchored, or one that was set aside before. */
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
