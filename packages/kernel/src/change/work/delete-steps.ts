import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { sha256 } from "@slipway/durable/canonical";
import { SlipwayError } from "../../schema/errors.ts";
import { toFailure } from "@slipway/durable/errors";
import { removeTree } from "../../host/files/remove-tree.ts";
import { discardTree, emptyTrash } from "../../host/files/trash.ts";
import { layersIn } from "../../host/places.ts";
import { z } from "zod";
import { translateFileError } from "../../host/files/write-atomic.ts";
import { anchorTree, keepCommit } from "../../host/git/anchor.ts";
import { dropAnchor, isAnchorOf, listAnchors } from "../../host/git/anchors.ts";
import { deleteBranch, isKeptElsewhere } from "../../host/git/branch.ts";
import { takeSnapshot } from "../../host/git/snapshot.ts";
import { removeWorktree } from "../../host/git/remove-worktree.ts";
import { cachesOf } from "../judge/gate-caches.ts";
import type { Survey } from "./delete-survey.ts";
import { findBeyond, MOST_KEPT_OF_DELETED } from "./large-changes.ts";
import { isLeftover } from "./old-anchors.ts";
import { openWorktree } from "./reset-tree.ts";
import type { FeatureDependencies } from "../feature/dependencies.ts";

export const removalStepSchema = z.strictObject({
  step: z.enum(["keep", "worktree", "branch", "files", "locks", "queue", "index"]),
  outcome: z.enum(["removed", "kept", "absent"]),
  detail: z.string(),
});
export type RemovalStep = z.infer<typeof removalStepSchema>;

export interface Removal {
  readonly run: string;
  readonly operationId: string;
  readonly at: number;
}

/**
 * Removes everything outside the database, in an order in which each step can be repeated. Bytes that would become unreachable get a ref
 * first.
 */
export async function removeFromDisk(dependencies: FeatureDependencies, survey: Survey, removal: Removal): Promise<RemovalStep[]> {
  const done: RemovalStep[] = [];
  try {
    await removeWork(dependencies, survey, removal, done);
    await dropLeftovers(dependencies, survey);
    done.push(...(await dropFolder(dependencies, survey)));
    return done;
  } catch (error) {
    throw interrupted(survey, done, error);
  }
}

/** Removes worktree and branch only. `done` grows with each step, so that an error can report the progress. */
export async function removeWork(
  dependencies: FeatureDependencies,
  survey: Survey,
  removal: Removal,
  done: RemovalStep[] = [],
): Promise<RemovalStep[]> {
  const beyond = await keepBytes(dependencies, survey, removal, done);
  done.push(...(await keepCommits(dependencies, survey, removal)));
  done.push(await dropWorktree(dependencies, survey, beyond));
  done.push(await dropBranch(dependencies, survey));
  await emptyTrash(layersIn(dependencies.hostEnv));
  return done;
}

/**
 * Anchors bytes of the worktree that no ref reaches. The branch counts as a ref: the next step keeps its commits. Returns the files that are
 * too large or too many to be kept.
 */
async function keepBytes(
  dependencies: FeatureDependencies,
  { worktree, feature }: Survey,
  { run, operationId, at }: Removal,
  done: RemovalStep[],
): Promise<ReadonlySet<string>> {
  if (worktree === null) return new Set();
  const { repository, layout } = dependencies;
  await openWorktree(feature.worktree);
  const { paths: except, text } = await findBeyond(dependencies, feature, MOST_KEPT_OF_DELETED);
  const { tree } = await takeSnapshot(repository, worktree, { indexFile: layout.indexFile(feature.id), except });
  const reachableTrees = await repository.git.text(["for-each-ref", "--format=%(tree)", "refs/slipway", "refs/heads"]);
  if (!reachableTrees.split("\n").includes(tree)) {
    const message = `${feature.id}: bytes found when it was deleted`;
    const { ref } = await anchorTree(repository, worktree, tree, { run, step: `${operationId}/deleted`, message, at });
    done.push({ step: "keep", outcome: "kept", detail: `the worktree's bytes are under ${ref}` });
  }
  if (text !== null) done.push({ step: "keep", outcome: "removed", detail: text });
  return except;
}

/** Anchors of what steps left in the worktree, where they write to it. */
async function dropLeftovers({ repository }: FeatureDependencies, { feature }: Survey): Promise<void> {
  for (const anchor of await listAnchors(repository))
    if (isAnchorOf(feature.id, anchor) && isLeftover(anchor)) await dropAnchor(repository, anchor);
}

async function keepCommits({ repository }: FeatureDependencies, { branch }: Survey, { run, operationId }: Removal): Promise<RemovalStep[]> {
  if (branch === null || (await isKeptElsewhere(repository, branch.name, branch.head))) return [];
  const ref = await keepCommit(repository, { run, step: `${operationId}/branch` }, branch.head);
  return [{ step: "keep", outcome: "kept", detail: `the commits of ${branch.name} are under ${ref}` }];
}

async function dropWorktree(
  { repository, layout, hostEnv }: FeatureDependencies,
  { feature, registered }: Survey,
  except: ReadonlySet<string>,
): Promise<RemovalStep> {
  await discardTree(cachesOf(repository, feature.id), layersIn(hostEnv));
  const { removed, setAside } = await removeWorktree(repository, {
    path: feature.worktree,
    indexFile: layout.indexFile(feature.id),
    except,
  });
  await removeTree(layout.working(feature.id));
  const later = setAside === undefined ? "" : `; what could not be removed in time is in ${setAside}, and is removed later`;
  return { step: "worktree", outcome: removed || registered ? "removed" : "absent", detail: `${feature.worktree}${later}` };
}

async function dropBranch({ repository }: FeatureDependencies, { feature }: Survey): Promise<RemovalStep> {
  const removed = await deleteBranch(repository, feature.branch);
  return { step: "branch", outcome: removed ? "removed" : "absent", detail: feature.branch };
}

/** The harness can write its own files again from its records; other files are copied to the object store. */
async function dropFolder({ layout, objects }: FeatureDependencies, { feature, files }: Survey): Promise<RemovalStep[]> {
  const folder = layout.feature(feature.id);
  const kept: RemovalStep[] = [];
  try {
    for (const file of files.filter((path) => !isOurs(path.split("/").slice(3)))) {
      const bytes = await readFile(join(layout.root, file));
      if (sha256(bytes) === feature.spec_digest) continue;
      kept.push({ step: "keep", outcome: "kept", detail: `${file} is in ${objects.pathOf(await objects.put(bytes))}` });
    }
    await removeTree(folder);
  } catch (error) {
    throw translateFileError(error, folder);
  }
  return [...kept, { step: "files", outcome: files.length === 0 ? "absent" : "removed", detail: folder }];
}

/** Takes the parts of a path relative to the feature's folder. */
function isOurs([first = "", ...below]: readonly string[]): boolean {
  if (below.length > 0) return first === "logs" || first === "evidence";
  return /^(?:state\.md|plan\.json|decisions\.md|qa_test_index\.json|harness\.index(?:\..*)?|\.slipway-[0-9a-f]+\.tmp)$/.test(first);
}

/** The same error with the steps done so far; repeating the call removes the rest. */
function interrupted({ feature }: Survey, done: readonly RemovalStep[], error: unknown): unknown {
  if (!(error instanceof SlipwayError)) return error;
  const { code, message, details } = toFailure(error);
  const next = ["Fix the cause, then delete the feature again to remove the rest."];
  return new SlipwayError(
    code,
    `"${feature.id}" was only partly deleted. ${message}`,
    { ...details, steps: done, suggested_next_actions: [...error.details.suggested_next_actions, ...next] },
    { cause: error },
  );
}
