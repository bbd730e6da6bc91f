import { SlipwayError } from "../../schema/errors.ts";
import { z } from "zod";
import { rolesFor } from "../../config/rbac.ts";
import type { Db, Tx } from "../../record/database/tables.ts";
import type { Operation } from "../../record/operations/operation.ts";
import { align } from "./qa/align.ts";
import type { DiffHunk } from "./qa/hunks.ts";
import { requiredTests } from "./qa/required-tests.ts";
import { OPEN_STATUSES, QA_STATUSES, type Hunk, type QaStatus, type QaTestIndex } from "./qa/schema.ts";
import { diffRef, readIndex, shownIndex, writeIndex, type StoredIndex } from "./qa/store.ts";
import { applyUpdates, qaUpdateSchema } from "./qa/update.ts";
import type { FeatureDependencies } from "../feature/dependencies.ts";
import { findFeature, type Feature } from "../feature/store.ts";

export const qaUpdateInput = z.strictObject({
  feature_id: z.string().min(1),
  expected_version: z.int().min(0),
  updates: z.array(qaUpdateSchema).min(1),
  evidence_refs: z.array(z.string().min(1)).optional(),
});

/** The index, its counts by status, and the open entries by file and hunk. */
export interface QaView {
  readonly index: QaTestIndex;
  readonly counts: Readonly<Record<QaStatus, number>>;
  readonly pending: readonly {
    readonly path: string;
    readonly hunks: readonly (Hunk & { readonly status: QaStatus; readonly required_tests: readonly string[] })[];
  }[];
}

export async function qaView(db: Db | Tx, id: string): Promise<QaView> {
  return viewOf(id, await readIndex(db, await findFeature(db, id)));
}

/** Applies the whole batch or nothing, on exactly the version the caller has read. */
export function updateQaOperation({ configuration }: FeatureDependencies): Operation<z.infer<typeof qaUpdateInput>, undefined, QaView> {
  return {
    name: "qa.test_index_update",
    roles: rolesFor(configuration.policy.rbac, "qa.test_index_update"),
    input: qaUpdateInput,
    async commit(tx, { feature_id, expected_version, updates, evidence_refs }, _effect, { at }) {
      const before = await readIndex(tx, await findFeature(tx, feature_id));
      if (before.version !== expected_version) throw stale(feature_id, expected_version, before.version);
      const entries = applyUpdates(before.entries, { updates, evidence_refs, at });
      return viewOf(feature_id, await writeIndex(tx, feature_id, before, { ...before, entries }));
    },
    event: ({ feature_id, updates }, { index: { version }, counts }) => ({ feature_id, version, updates: updates.length, counts }),
  };
}

/** Runs in the transaction that gives the feature another tree or base. */
export async function realign(
  tx: Tx,
  { configuration }: FeatureDependencies,
  feature: Feature,
  hunks: readonly DiffHunk[],
): Promise<StoredIndex> {
  const before = await readIndex(tx, feature);
  const required = (path: string) => requiredTests(configuration.gates, feature.gate_profile, path);
  return writeIndex(tx, feature.id, before, { source_diff_ref: diffRef(feature), entries: align(before.entries, hunks, required) });
}

function viewOf(id: string, stored: StoredIndex): QaView {
  const open = stored.entries.filter(({ status }) => OPEN_STATUSES.includes(status));
  return {
    index: shownIndex(id, stored),
    counts: countsOf(stored),
    pending: [...Map.groupBy(open, ({ path }) => path)].map(([path, entries]) => ({
      path,
      hunks: entries.map(({ hunk, status, required_tests }) => ({ ...hunk, status, required_tests })),
    })),
  };
}

function countsOf({ entries }: StoredIndex): Record<QaStatus, number> {
  const count = (wanted: QaStatus) => entries.filter(({ status }) => status === wanted).length;
  return Object.fromEntries(QA_STATUSES.map((status) => [status, count(status)])) as Record<QaStatus, number>;
}

function stale(feature_id: string, expected_version: number, actual_version: number): SlipwayError {
  const message = `The QA index of "${feature_id}" has version ${actual_version}, not ${expected_version}. Nothing was changed.`;
  return new SlipwayError("qa_index_version_conflict", message, {
    feature_id,
    expected_version,
    actual_version,
    suggested_next_actions: ["Read the index again with qa.test_index_get, then repeat the call with its version."],
  });
}
