import { join } from "node:path";
import { SlipwayError } from "../../schema/errors.ts";
import { withOwnLock } from "./locks.ts";
import { isSafeBranch } from "./names.ts";
import type { Repository } from "./repository.ts";

/** Refuses a name that git could read as an option or a revision, and a branch that is in use. */
export async function assertFeatureBranch(
  repo: Repository,
  names: { featureId: string; branch: string; taken: readonly string[] },
): Promise<void> {
  const { stdout } = await repo.git.run(["symbolic-ref", "-q", "--short", "HEAD"], { allowExit: [1] });
  // Case-insensitive, because refs/heads/Main and refs/heads/main are one file on some file systems.
  const taken = new Set([...names.taken, stdout.toString("utf8").trim()].map((name) => name.replace(/^refs\/heads\//, "").toLowerCase()));
  for (const name of [names.featureId, names.branch]) {
    const reason =
      !isSafeBranch(name) || (name === names.featureId && name.includes("/"))
        ? "cannot be a branch name here"
        : taken.has(name.toLowerCase())
          ? "is a branch that features must not touch"
          : null;
    if (reason !== null) {
      throw new SlipwayError("invalid_feature_slug", `The feature id or branch ${JSON.stringify(name)} ${reason}.`, {
        field: "feature_id",
        suggested_next_actions: [
          "Choose an id of letters, digits, dots, dashes and underscores that is not the name of an existing branch.",
        ],
      });
    }
  }
}

export interface BranchStart {
  readonly branch: string;
  /** A ref or a commit. */
  readonly base: string | undefined;
  /** The recorded base, if the harness made the branch. */
  readonly recorded: string | undefined;
}

/** The head of the feature's branch; creates the branch at the base if it does not exist. */
export async function ensureBranch(repo: Repository, { branch, base, recorded }: BranchStart): Promise<string> {
  const wanted = recorded ?? base ?? "HEAD";
  const [head, start] = await Promise.all([branchHead(repo, branch), resolveCommit(repo, wanted)]);
  if (head === null) {
    if (start === null) throw noBase(wanted);
    await moveBranch(repo, branch, start, null);
    return start;
  }
  if (recorded === undefined && head !== start) {
    throw new SlipwayError("feature_slug_collision", `A branch named "${branch}" already exists and is not at the feature's base.`, {
      branch,
      suggested_next_actions: ["Choose another feature id, or rename that branch (`git branch -m`)."],
    });
  }
  return head;
}

/** Compare-and-swap on a branch of the harness; `from` is null for a branch that must not exist yet. */
export async function moveBranch(repo: Repository, branch: string, to: string, from: string | null): Promise<void> {
  const ref = `refs/heads/${branch}`;
  const move = ["update-ref", "--no-deref", "--end-of-options", ref, to, from ?? "0".repeat(to.length)];
  await withOwnLock(repo, join(repo.commonDir, ref), () => repo.git.run(move));
}

/** Deletes the branch only if another ref contains all its commits. */
export async function deleteBranch(repo: Repository, branch: string): Promise<boolean> {
  const ref = `refs/heads/${branch}`;
  const head = await branchHead(repo, branch);
  if (head === null || !(await isKeptElsewhere(repo, branch, head))) return false;
  await repo.git.run(["update-ref", "--no-deref", "-d", "--end-of-options", ref, head]);
  return true;
}

/** Whether another ref contains the branch's head, so that no commit is lost if the branch is deleted or moved. */
export async function isKeptElsewhere(repo: Repository, branch: string, head: string): Promise<boolean> {
  const keepers = await repo.git.text(["for-each-ref", "--count=2", "--format=%(refname)", `--contains=${head}`]);
  return keepers.split("\n").some((name) => name !== "" && name !== `refs/heads/${branch}`);
}

/** Whether the harness made this commit and keeps it under an anchor, so that the branch may be moved away from it. */
export async function isAnchored(repo: Repository, commit: string): Promise<boolean> {
  return (await repo.git.text(["for-each-ref", "--count=1", `--points-at=${commit}`, "refs/slipway"])) !== "";
}

export async function branchHead(repo: Repository, branch: string): Promise<string | null> {
  return resolveCommit(repo, `refs/heads/${branch}`);
}

export async function resolveCommit(repo: Repository, name: string): Promise<string | null> {
  const { stdout, exitCode } = await repo.git.run(["rev-parse", "--verify", "-q", "--end-of-options", `${name}^{commit}`], {
    allowExit: [1, 128],
  });
  return exitCode === 0 ? stdout.toString("utf8").trim() : null;
}

function noBase(name: string): SlipwayError {
  return new SlipwayError("repository_unsuitable", `The base "${name}" of the feature does not name a commit.`, {
    file: "slipway/policy.yaml",
    field: "worktree.base_branch",
    suggested_next_actions: ["Set `worktree.base_branch` in slipway/policy.yaml to a branch that exists (`git branch` lists them)."],
  });
}
