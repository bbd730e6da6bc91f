import type { Head } from "@slipway/durable/chain";
import { headOf, REPOSITORY_STREAM } from "../../../record/journal/repository.ts";
import type { Records } from "../../../record/storage.ts";
import { checksOf, type Check } from "./checks.ts";
import { telemetryOf, totalsOf, type Telemetry, type Totals } from "../../../budget/telemetry.ts";

/** All evidence for one feature's change. */
export interface EvidenceBundle {
  readonly feature: EvidencedFeature;
  /** Null until it has merged. */
  readonly merge: EvidencedMerge | null;
  readonly approval: { readonly id: string; readonly by: string; readonly at: number } | null;
  readonly checks: readonly Check[];
  readonly telemetry: readonly Telemetry[];
  readonly totals: Totals;
  readonly journal: { readonly run: Head | null; readonly repository: Head | null };
}

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

/** `label` is the feature id of checks and telemetry: the feature's id until it is deleted. */
export async function evidenceOf(
  { database: { db } }: Pick<Records, "database">,
  feature: EvidencedFeature,
  merge: EvidencedMerge | null,
  label = feature.id,
): Promise<EvidenceBundle> {
  const telemetry = await telemetryOf(db, { feature_id: label });
  const approval =
    merge === null
      ? undefined
      : await db
          .selectFrom("approvals")
          .select(["id", "approved_by as by", "issued_at as at"])
          .where("id", "=", merge.approval_id)
          .executeTakeFirst();
  return {
    feature,
    merge,
    approval: approval ?? null,
    checks: await checksOf(db, { feature_id: label }),
    telemetry,
    totals: totalsOf(telemetry),
    journal: { run: (await headOf(db, feature.run_id)) ?? null, repository: (await headOf(db, REPOSITORY_STREAM)) ?? null },
  };
}
