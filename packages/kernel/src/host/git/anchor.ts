import { dirname, join } from "node:path";
import { withOwnLock } from "./locks.ts";
import { encodeRefPart } from "./names.ts";
import { placeOf, readRecord } from "./worktree-record.ts";
import type { Repository } from "./repository.ts";
import { newObject, writeObjects } from "./fast-path/loose-objects.ts";
import { moveRef } from "./fast-path/git-queries.ts";
import { takeSnapshot, type SnapshotOptions } from "./snapshot.ts";
import { syncFolders, syncObjects } from "./sync.ts";

export interface AnchorInput {
  readonly run: string;
  readonly step: string;
  readonly message: string;
  /** The commit's time in milliseconds, so that a repeated step makes the same commit. */
  readonly at: number;
  /** The objects that were written for the tree; without it every object folder is checked for fsync. */
  readonly written?: readonly string[] | undefined;
}

export interface Anchor {
  readonly ref: string;
  readonly commit: string;
  readonly tree: string;
  readonly leftOut: readonly string[];
}

export function anchorRef(run: string, step: string): string {
  return `refs/slipway/${encodeRefPart(run)}/${encodeRefPart(step)}`;
}

/** Makes a worktree's bytes reachable under `refs/slipway/<run>/<step>`; synced when this resolves. */
export async function anchor(repo: Repository, worktree: string, input: AnchorInput & SnapshotOptions): Promise<Anchor> {
  const { tree, leftOut } = await takeSnapshot(repo, worktree, input);
  return { ...(await anchorTree(repo, worktree, tree, input)), tree, leftOut };
}

/** The same for a known tree. An existing anchor is kept: unchanged, or as the parent of the new commit. */
export async function anchorTree(
  repo: Repository,
  worktree: string,
  tree: string,
  input: AnchorInput,
): Promise<Pick<Anchor, "ref" | "commit">> {
  const ref = anchorRef(input.run, input.step);
  const record = await readRecord(repo, (await placeOf(repo, worktree)).key);
  const first = await commitFor(record?.baseCommit);
  // The objects may be synced while the ref is written.
  const [isNew] = await Promise.all([pointRef(repo, ref, first, null), input.written && syncObjects(repo, [...input.written, first])]);
  const commit = isNew ? first : await another();
  // Also for an existing anchor: its creator may have died before the fsync.
  await syncFolders(repo, dirname(join(repo.commonDir, ref)), { objects: input.written === undefined || !isNew });
  return { ref, commit };

  async function another(): Promise<string> {
    const earlier = await repo.git.text(["for-each-ref", "--format=%(objectname) %(tree)", ref]);
    const [previous = "", previousTree = ""] = earlier.trim().split(" ");
    if (previousTree === tree) return previous;
    const next = await commitFor(previous);
    await pointRef(repo, ref, next, previous);
    return next;
  }

  async function commitFor(parent: string | undefined): Promise<string> {
    const who = `Slipway <slipway@localhost> ${Math.floor(input.at / 1000)} +0000`;
    const head = [`tree ${tree}`, ...(parent === undefined ? [] : [`parent ${parent}`]), `author ${who}`, `committer ${who}`];
    const commit = newObject("commit", Buffer.from(`${head.join("\n")}\n\n${input.message}\n`), repo.objectFormat);
    await writeObjects(repo, [commit]);
    return commit.oid;
  }
}

/** Keeps an existing commit reachable. */
export async function keepCommit(repo: Repository, { run, step }: Pick<AnchorInput, "run" | "step">, commit: string): Promise<string> {
  const ref = anchorRef(run, step);
  if (!(await pointRef(repo, ref, commit, null))) {
    const there = (await repo.git.text(["rev-parse", "--verify", "--end-of-options", ref])).trim();
    if (there !== commit) return keepCommit(repo, { run, step: `${step}+` }, commit);
  }
  await syncFolders(repo, dirname(join(repo.commonDir, ref)));
  return ref;
}

/** False if the ref should be new but exists. */
function pointRef(repo: Repository, ref: string, to: string, from: string | null): Promise<boolean> {
  return withOwnLock(repo, join(repo.commonDir, ref), () => moveRef(repo, { ref, to, from }));
}

export async function commitTree(
  repo: Repository,
  commit: { tree: string; parents: readonly string[]; message: string; env: Readonly<Record<string, string>> },
): Promise<string> {
  const git = await repo.vault();
  const message = commit.message.endsWith("\n") ? commit.message : `${commit.message}\n`;
  return (
    await git.text(["commit-tree", ...commit.parents.flatMap((parent) => ["-p", parent]), commit.tree], { input: message, env: commit.env })
  ).trim();
}

/** The environment that sets author and committer date of a commit. */
export function datedAt(at: number): Record<string, string> {
  const date = `${Math.floor(at / 1000)} +0000`;
  return { GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date };
}
