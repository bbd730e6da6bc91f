import { join } from "node:path";
import { SlipwayError } from "../../schema/errors.ts";
import { commitTree, datedAt } from "./anchor.ts";
import { branchHead, isAnchored, moveBranch } from "./branch.ts";
import { findCheckouts, performAdvance, planAdvance, stagingFor, type Advance, type Undo } from "./checkout.ts";
import { abandonLanding, declareLanding, forgetLanding, releaseLocks, settleLandings } from "./landing-intent.ts";
import { decodePath, splitZero } from "./names.ts";
import { rawBetween } from "./raw.ts";
import type { Repository } from "./repository.ts";
import { treeOf } from "./fast-path/git-queries.ts";
import { wasKilled } from "./runner.ts";
import { syncFolders } from "./sync.ts";
import { withPreparedRefs, type RefUpdate } from "./transaction.ts";

export type MergeStrategy = "merge_commit" | "squash" | "rebase";

export interface Identity {
  readonly name: string;
  readonly email: string;
}

export interface MergeInput {
  /** The commit that the feature was built on. */
  readonly baseCommit: string;
  /** The current commit of the base branch. */
  readonly baseNow: string;
  /** The feature's whole content. */
  readonly tree: string;
  readonly strategy: MergeStrategy;
  readonly message: string;
  readonly author: Identity;
  readonly committer: Identity;
  /** Milliseconds; the same input at the same time gives the same commits. */
  readonly at: number;
}

export interface BuiltMerge {
  /** One commit with the message and the whole change; the feature's branch will point to it. */
  readonly featureCommit: string;
  /** The base branch will point to it; empty if there are conflicts. */
  readonly commit: string;
  readonly tree: string;
  readonly conflicts: readonly string[];
}

/** Builds the merge from objects only; touches no ref, index or checkout. */
export async function buildMerge(repo: Repository, input: MergeInput): Promise<BuiltMerge> {
  const { baseCommit, baseNow, strategy, message } = input;
  const env = { ...datedAt(input.at), ...signedBy("AUTHOR", input.author), ...signedBy("COMMITTER", input.committer) };
  const featureCommit = await commitTree(repo, { tree: input.tree, parents: [baseCommit], message, env });
  const { tree, conflicts } =
    baseNow === baseCommit ? { tree: input.tree, conflicts: [] } : await mergeTrees(repo, { baseCommit, baseNow, featureCommit, env });
  if (conflicts.length > 0) return { featureCommit, commit: "", tree: "", conflicts };
  const subject = message.trim().split("\n")[0] ?? "";
  if (strategy === "merge_commit") {
    const commit = await commitTree(repo, { tree, parents: [baseNow, featureCommit], message: `Merge "${subject}"`, env });
    return { featureCommit, commit, tree, conflicts };
  }
  if (strategy === "rebase") {
    const commit = baseNow === baseCommit ? featureCommit : await commitTree(repo, { tree, parents: [baseNow], message, env });
    return { featureCommit: commit, commit, tree, conflicts };
  }
  // The trailer names the origin, and makes the commit different from the feature's even on an unmoved base.
  const commit = await commitTree(repo, {
    tree,
    parents: [baseNow],
    message: withTrailer(message, `Squashed-from: ${featureCommit}`),
    env,
  });
  return { featureCommit, commit, tree, conflicts };
}

export interface LandingInput {
  readonly baseBranch: string;
  readonly expected: string;
  readonly commit: string;
  readonly featureBranch?: string;
  readonly featureCommit?: string;
  readonly featureWorktree?: string;
  /** Called once the refs are locked and have their expected values; if it throws, no ref moves. */
  readonly confirm?: () => Promise<void>;
}

export interface MergedTree {
  readonly landed: true;
  /** An earlier attempt has already landed it. */
  readonly already: boolean;
  readonly checkoutUpdated: boolean;
}

/**
 * Moves the base branch to the merge by compare-and-swap, and with it every checkout of that branch. The order, and what a kill
 * leaves at each point:
 *  1. check every checkout; write nothing                       -> nothing
 *  2. write the intent                                         -> an intent, nothing else
 *  3. lock the refs and check their old values (prepare)        -> ref locks; git releases them unless it is killed, too
 *  4. per checkout: index, then files, each by one rename       -> files and index entries that are old or new, never torn
 *  5. move the refs (commit), delete the intent                -> landed
 * Checkouts go first, because a moved ref alone would show the merge in `git status` as reverted by the user. Before 5 a repeat,
 * or `settleLandings`, reverts the files or completes them; after it a repeat finds the commit and returns `already`.
 * HEAD is never touched.
 */
export async function landMerge(repo: Repository, input: LandingInput): Promise<MergedTree> {
  const { baseBranch, expected, commit } = input;
  await settleLandings(repo);
  const base = await branchHead(repo, baseBranch);
  if (base !== expected && (await hasLanded(repo, baseBranch, commit))) {
    await bringFeatureBranch(repo, input);
    return { landed: true, already: true, checkoutUpdated: false };
  }
  if (base !== expected) throw baseMoved(input, base);
  if (!(await isAncestor(repo, expected, commit)))
    throw new SlipwayError("merge_failed", `The merge ${commit} is not built on ${expected}.`, { expected, commit });

  const change = { from: expected, to: commit, entries: await rawBetween(await repo.vault(), expected, commit) };
  const updates: RefUpdate[] = [{ ref: `refs/heads/${baseBranch}`, to: commit, from: expected }, ...(await featureUpdate(repo, input))];
  const advances: Advance[] = [];
  for (const checkout of await findCheckouts(repo, baseBranch)) advances.push(await planAdvance(repo, checkout, change));
  const branches = input.featureBranch === undefined ? [baseBranch] : [baseBranch, input.featureBranch];
  const intent = await declareLanding(repo, { baseBranch, expected, commit, branches, advances });

  const undo: Undo[] = [];
  try {
    const moved = await withPreparedRefs(repo.git, updates, `slipway: merged into ${baseBranch}`, async () => {
      await input.confirm?.();
      for (const advance of advances) await performAdvance(repo, advance, stagingFor(advance.checkout, intent.id), undo);
    });
    if (!moved) throw baseMoved(input, await branchHead(repo, baseBranch));
  } catch (error) {
    if (wasKilled(error)) await releaseLocks(repo, intent);
    if ((await branchHead(repo, baseBranch)) !== commit) {
      for (const step of undo.toReversed()) await step();
      await forgetLanding(repo, intent);
      throw error;
    }
  } finally {
    abandonLanding(intent);
  }
  await syncFolders(repo, join(repo.commonDir, "refs", "heads"));
  await forgetLanding(repo, intent);
  return { landed: true, already: false, checkoutUpdated: advances.length > 0 };
}

export async function hasLanded(repo: Repository, baseBranch: string, commit: string): Promise<boolean> {
  const base = await branchHead(repo, baseBranch);
  return base !== null && (await isAncestor(repo, commit, base));
}

/** Appends to existing trailers: in a separate paragraph they would no longer count as trailers. */
function withTrailer(message: string, trailer: string): string {
  const text = message.trimEnd();
  const last = text.split(/\n{2,}/).at(-1) ?? "";
  const trailers = text.includes("\n\n") && last.split("\n").every((line) => /^[A-Za-z][A-Za-z-]*: /.test(line));
  return `${text}${trailers ? "\n" : "\n\n"}${trailer}`;
}

/**
 * A three-way merge from the commit that the feature was built on, even if the base no longer contains it after an amend, a rebase
 * or a reset. Two temporary commits with that parent tell every version of git the merge base.
 */
async function mergeTrees(
  repo: Repository,
  sides: { baseCommit: string; baseNow: string; featureCommit: string; env: Record<string, string> },
): Promise<{ tree: string; conflicts: string[] }> {
  const { baseCommit, baseNow, featureCommit, env } = sides;
  const git = await repo.vault();
  const tree = await treeOf(repo, baseNow);
  const now = await commitTree(repo, { tree, parents: [baseCommit], message: `the base as it is at ${baseNow}`, env });
  const args = ["merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", now, featureCommit];
  const { stdout, exitCode } = await git.run(args, { allowExit: [1] });
  const [merged, ...files] = splitZero(stdout).map(decodePath);
  return { tree: merged ?? "", conflicts: exitCode === 0 ? [] : [...new Set(files)] };
}

/** Also moves the feature's branch, if that loses no commit. */
async function featureUpdate(repo: Repository, { featureBranch, featureCommit, featureWorktree }: LandingInput): Promise<RefUpdate[]> {
  if (featureBranch === undefined || featureCommit === undefined) return [];
  const from = await branchHead(repo, featureBranch);
  // If the branch is checked out elsewhere, it stays.
  const elsewhere = (await findCheckouts(repo, featureBranch)).some(({ root }) => root !== featureWorktree);
  if (from === featureCommit || (elsewhere && featureWorktree !== undefined)) return [];
  if (from === null || (await isAncestor(repo, from, featureCommit)) || (await isAnchored(repo, from)))
    return [{ ref: `refs/heads/${featureBranch}`, to: featureCommit, from }];
  throw new SlipwayError(
    "merge_failed",
    `The branch "${featureBranch}" has commits that the merge does not contain, so it was not moved.`,
    {
      branch: featureBranch,
      commit: from,
      suggested_next_actions: [
        `Keep those commits under another name (\`git branch <name> ${from}\`), set the branch back, and merge again.`,
      ],
    },
  );
}

async function bringFeatureBranch(repo: Repository, input: LandingInput): Promise<void> {
  const [update] = await featureUpdate(repo, input);
  if (update !== undefined && input.featureBranch !== undefined) await moveBranch(repo, input.featureBranch, update.to, update.from);
}

async function isAncestor(repo: Repository, ancestor: string, of: string): Promise<boolean> {
  return (await repo.git.run(["merge-base", "--is-ancestor", "--end-of-options", ancestor, of], { allowExit: [1] })).exitCode === 0;
}

/** git removes these characters from a name as well; a NUL would end the environment variable. */
function signedBy(role: "AUTHOR" | "COMMITTER", { name, email }: Identity): Record<string, string> {
  return { [`GIT_${role}_NAME`]: plain(name), [`GIT_${role}_EMAIL`]: plain(email) };
}

function plain(text: string): string {
  return text.replaceAll(/[\p{Cc}<>]/gu, " ").trim() || "unknown";
}

function baseMoved({ baseBranch, expected }: LandingInput, found: string | null): SlipwayError {
  return new SlipwayError(
    "base_moved",
    `The branch "${baseBranch}" is at ${found ?? "no commit"}, but the merge was built on ${expected}. Nothing was merged.`,
    {
      branch: baseBranch,
      expected,
      found,
      suggested_next_actions: ["Build the merge again on the current branch, and gate it again (`slipway resume` does this)."],
    },
  );
}
