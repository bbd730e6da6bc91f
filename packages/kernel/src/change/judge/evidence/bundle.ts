import type { Head } from "@slipway/durable/chain";
import type { Db, Tx } from "../../../record/database/tables.ts";
import { headOf, REPOSITORY_STREAM } from "../../../record/journal/repository.ts";
import { checksOf, type Check } from "./checks.ts";
import { telemetryOf, totalsOf, type Telemetry, type Totals } from "../../../budget/telemetry.ts";

/** Everything that speaks for one feature's change. */
export interface EvidenceBundle {
  readonly feature: EvidencedFeature;
  /** Null until it has landed. */
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
  /** Its worktree, branch and row are gone since then; what was seen is not. */
  readonly deleted?: { readonly at: number; readonly by: string };
  /** Deleted features that had the same name before, as a command takes them. */
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

/** `label` is what checks and telemetry are filed under: the feature's id, until it is deleted. */
export async function evidenceOf(
  db: Db | Tx,
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
