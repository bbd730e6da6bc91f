import { join } from "node:path";
import { sha256 } from "@slipway/durable/canonical";
import type { CacheSource } from "./gates/step-caches.ts";
import type { Repository } from "../../host/git/repository.ts";
import { makeUngatedFolder } from "../../host/ungated-folder.ts";
import type { FeatureDependencies } from "../feature/dependencies.ts";

/** Removed with the feature's worktree. */
export function cachesOf({ ungated }: Repository, feature: string): string {
  return join(ungated.caches, feature);
}

/**
 * The folders of `execution.caches` for one gate. Code of an earlier tree wrote their contents and may have prepared them to make a later
 * tree pass. Therefore only the fast mode has caches, if no merge relies on it, and they are never shared between features or profiles.
 */
export function cachesFor(
  { repository, configuration: { policy } }: FeatureDependencies,
  feature: string,
  profile: string,
  mode: string,
): { readonly caches?: CacheSource } {
  const { caches: paths } = policy.execution;
  if (paths.length === 0 || mode !== "fast" || policy.required_merge_mode === "fast") return {};
  makeUngatedFolder(repository, repository.ungated.caches);
  return { caches: { folder: join(cachesOf(repository, feature), sha256(profile).slice(0, 24)), paths } };
}
