import { join } from "node:path";
import { sha256 } from "@slipway/durable/canonical";
import type { CacheSource } from "./gates/step-caches.ts";
import type { Repository } from "../../host/git/repository.ts";
import { makeUngatedFolder } from "../../host/ungated.ts";
import type { Rooms } from "../feature/dependencies.ts";

/** Gone with the feature's worktree. */
export function cachesOf({ ungated }: Repository, feature: string): string {
  return join(ungated.caches, feature);
}

/**
 * The folders of `execution.caches` for one gate. What lies in them was written by the code of an earlier tree, which may be built to
 * make a later one pass: so there are some in the fast mode alone, if no merge relies on it, and none from another feature or profile.
 */
export function cachesFor(
  { repository, configuration: { policy } }: Rooms,
  feature: string,
  profile: string,
  mode: string,
): { readonly caches?: CacheSource } {
  const { caches: paths } = policy.execution;
  if (paths.length === 0 || mode !== "fast" || policy.required_merge_mode === "fast") return {};
  makeUngatedFolder(repository, repository.ungated.caches);
  return { caches: { folder: join(cachesOf(repository, feature), sha256(profile).slice(0, 24)), paths } };
}
