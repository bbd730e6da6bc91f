import { anchoredCommit, isAnchorOf, listAnchors, type ListedAnchor } from "../../host/git/anchors.ts";
import { changeBetween } from "../../host/git/change.ts";
import type { Repository } from "../../host/git/repository.ts";
import type { Actor } from "../../record/operations/operation.ts";
import type { Records } from "../../record/storage.ts";
import { restoreOperation, type Restore } from "./restore.ts";

export interface FeatureAnchor extends ListedAnchor {
  /** The id in its name, if any: from the run's part, otherwise from its message. */
  readonly feature: string | null;
  /** Also true if the name was too long to contain the id. */
  isOf(id: string): boolean;
  /** Number of files that differ from the commit it was made on; null if it has none. */
  filesChanged(): Promise<number | null>;
}

/** The anchors of a repository, and the way back from one to a branch. */
export interface FeatureAnchors {
  /** The newest first. */
  list(): Promise<FeatureAnchor[]>;
  /** The commit of a name, if it is reachable from an anchor. */
  commitOf(name: string): Promise<string | null>;
  restore(records: Records, actor: Actor, input: Restore): Promise<{ branch: string; commit: string }>;
}

export function anchorsIn(repository: Repository): FeatureAnchors {
  return {
    list: async () => (await listAnchors(repository)).map((anchor) => ofFeature(repository, anchor)),
    commitOf: (name) => anchoredCommit(repository, name),
    restore: ({ door, ids }, actor, input) => door.perform(restoreOperation(repository), actor, ids.next("restore"), input),
  };
}

function ofFeature(repository: Repository, anchor: ListedAnchor): FeatureAnchor {
  const { run, message, parent, commit } = anchor;
  return {
    ...anchor,
    feature: /\/feature:([a-z0-9_-]+)$/.exec(run)?.[1] ?? /^([a-z0-9_-]+): /.exec(message)?.[1] ?? null,
    isOf: (id) => isAnchorOf(id, anchor),
    filesChanged: async () => (parent === null ? null : (await changeBetween(repository, parent, commit)).entries.length),
  };
}
