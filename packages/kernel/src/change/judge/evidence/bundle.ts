import type { Head } from "@slipway/durable/chain";
import type { Db } from "../../../record/database/tables.ts";
import { headOf, REPOSITORY_STREAM } from "../../../record/journal/repository.ts";
import type { Records } from "../../../record/storage.ts";
import { assertUntouched, missingRows, rowFault } from "../../../record/facts/compare.ts";
import { journalFacts, type JournalFacts } from "../../../record/facts/read-back.ts";
import { provenChecks, type Check } from "./checks.ts";
import { provenEgress, type Egress } from "./egress.ts";
import { telemetryOf, totalsOf, type Telemetry, type Totals } from "../../../budget/telemetry.ts";

/** All evidence for one feature's change. */
export interface EvidenceBundle {
  readonly feature: EvidencedFeature;
  /** Null until it has merged. */
  readonly merge: EvidencedMerge | null;
  readonly approval: { readonly id: string; readonly by: string; readonly at: number } | null;
  readonly checks: readonly EvidencedCheck[];
  readonly telemetry: readonly Telemetry[];
  readonly totals: Totals;
  /** What agents sent, and tried to send, from their sandbox. */
  readonly egress: readonly Egress[];
  readonly journal: { readonly run: Head | null; readonly repository: Head | null };
}

/** A check that an earlier version recorded is marked: the journal has had its digest only since the update. */
export type EvidencedCheck = Check & { readonly recorded_before_facts_were_signed?: true };

export interface EvidencedFeature {
  readonly id: string;
  readonly run_id: string;
  readonly status: string;
  readonly tree: string;
  /** When the feature was deleted. Its worktree, branch and row are gone; its evidence stays. */
  readonly deleted?: { readonly at: number; readonly by: string };
  /** Names of deleted features with the same id, as a command accepts them. */
  readonly earlier?: readonly string[];
}

export interface EvidencedMerge {
  readonly commit: string;
  readonly tree: string;
  readonly base_branch: string;
  readonly base_before: string;
  readonly strategy: string;
  readonly change: string;
  readonly approval_id: string;
}

/**
 * What the tables say, after each row was compared with the journal; throws `evidence_tampered`. `label` is the feature id of checks and
 * telemetry: the feature's id until it is deleted.
 */
export async function evidenceOf(
  { database: { db } }: Pick<Records, "database">,
  feature: EvidencedFeature,
  merge: EvidencedMerge | null,
  label = feature.id,
  given?: JournalFacts,
): Promise<EvidenceBundle> {
  const facts = given ?? (await journalFacts(db));
  assertUntouched(await missingRows(db, facts, "checks"));
  const checks = await provenChecks(db, { feature_id: label }, facts);
  if (merge !== null) await assertMerge(db, feature.id, label, facts);
  await assertDeletion(db, label, facts);
  const telemetry = await telemetryOf(db, { feature_id: label });
  const approval =
    merge === null ? undefined : await db.selectFrom("approvals").selectAll().where("id", "=", merge.approval_id).executeTakeFirst();
  if (approval !== undefined) assertUntouched([rowFault(facts, "approvals", approval.id, approval)]);
  return {
    feature,
    merge,
    approval: approval === undefined ? null : { id: approval.id, by: approval.approved_by, at: approval.issued_at },
    checks: checks.map(({ former, ...check }) => ({ ...check, ...(former && { recorded_before_facts_were_signed: true as const }) })),
    telemetry,
    totals: totalsOf(telemetry),
    egress: await provenEgress(db, label, facts),
    journal: { run: (await headOf(db, feature.run_id)) ?? null, repository: (await headOf(db, REPOSITORY_STREAM)) ?? null },
  };
}

async function assertMerge(db: Db, id: string, label: string, facts: JournalFacts): Promise<void> {
  const merge = await db.selectFrom("merges").selectAll().where("feature_id", "=", label).executeTakeFirst();
  if (merge !== undefined) assertUntouched([rowFault(facts, "merges", id, merge)]);
}

/** Says who deleted it, and contains the merge of a feature that is deleted. */
async function assertDeletion(db: Db, label: string, facts: JournalFacts): Promise<void> {
  const deleted = await db.selectFrom("deleted_features").selectAll().where("label", "=", label).executeTakeFirst();
  if (deleted !== undefined) assertUntouched([rowFault(facts, "deleted_features", label, deleted)]);
}
