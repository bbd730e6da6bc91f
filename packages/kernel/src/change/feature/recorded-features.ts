import type { Records } from "../../record/storage.ts";
import { repositoryId } from "../../record/journal/place.ts";
import { mergeProposal, type MergeProposal } from "../land/proposal.ts";
import { formerFeatures, type Former } from "./former.ts";
import { featureIfAny, findFeature, type Feature } from "./store.ts";
import type { FeaturesTables } from "./tables.ts";

/** Reads of commands and tools that look up features without changing them. */
export interface RecordedFeatures {
  /** Throws `feature_not_found`. */
  find(id: string): Promise<Feature>;
  ifAny(id: string): Promise<Feature | undefined>;
  /** In the order of their ids. */
  all(): Promise<Feature[]>;
  /** Last changed first. */
  newest(limit: number): Promise<Feature[]>;
  /** Ids of the features that a run, or one of its children, has created so far. */
  ofRun(runId: string): Promise<string[]>;
  /** Deleted features that had the name, oldest first. */
  former(id: string): Promise<Former[]>;
  mergeOf(id: string): Promise<FeaturesTables["merges"] | null>;
  /** The message that a client wants its merge to have. */
  mergeProposal(id: string): Promise<MergeProposal | null>;
  /** Names this repository in its place, as approvals do. */
  repositoryId(): Promise<string>;
  /** In the order in which they landed. */
  merges(): Promise<FeaturesTables["merges"][]>;
}

export function recordedFeatures({ database: { db, sqlite } }: Pick<Records, "database">): RecordedFeatures {
  return {
    find: (id) => findFeature(db, id),
    ifAny: (id) => featureIfAny(db, id),
    all: () => db.selectFrom("features").selectAll().orderBy("id").execute(),
    newest: (limit) => db.selectFrom("features").selectAll().orderBy("updated_at", "desc").limit(limit).execute(),
    async ofRun(runId) {
      // "0" is the character after "/".
      const below = db.selectFrom("features").select("id").where("run_id", ">", `${runId}/`).where("run_id", "<", `${runId}0`);
      return (await below.execute()).map(({ id }) => id);
    },
    former: (id) => formerFeatures(db, id),
    mergeOf: async (id) => (await db.selectFrom("merges").selectAll().where("feature_id", "=", id).executeTakeFirst()) ?? null,
    mergeProposal: (id) => mergeProposal(db, id),
    repositoryId: () => repositoryId(db, sqlite.path),
    merges: () => db.selectFrom("merges").selectAll().orderBy("at").execute(),
  };
}
