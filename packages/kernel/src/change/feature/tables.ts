import type { Generated } from "kysely";
import type { Tx } from "../../record/database/tables.ts";
import type { FeatureStatus } from "./status.ts";

export interface FeaturesTables {
  features: {
    id: string;
    run_id: string;
    status: FeatureStatus;
    status_reason: string;
    version: number;
    branch: string;
    worktree: string;
    base_branch: string;
    base_commit: string;
    /** The tree that the harness last recorded for the worktree. */
    tree: string;
    spec_source: string;
    spec_digest: string;
    gate_profile: string;
    /** JSON: pass, fail or na by gate or mode name. */
    gates: string;
    /** JSON, like the four columns below: which session plays which role. */
    cluster: Generated<string>;
    role_status: Generated<string>;
    collisions: Generated<string>;
    evidence: Generated<string>;
    /** Properties of the state that are not in the schema. */
    extra: Generated<string>;
    created_at: number;
    updated_at: number;
  };
  plans: { feature_id: string; plan_version: number; plan: string; accepted_at: number };
  merges: {
    feature_id: string;
    commit_sha: string;
    feature_commit: string;
    tree: string;
    base_branch: string;
    base_before: string;
    strategy: string;
    change: string;
    approval_id: string;
    approved_by: string;
    /** JSON: results and runs of the gates at the time of the merge. */
    gate_snapshot: string | null;
    at: number;
  };
  /** Deleted features: enough to find their evidence. */
  deleted_features: {
    /** The feature id of its checks and telemetry. */
    label: string;
    id: string;
    run_id: string;
    status: FeatureStatus;
    tree: string;
    base_branch: string;
    base_commit: string;
    /** JSON of the row in `merges`. */
    merge: string | null;
    deleted_at: number;
    deleted_by: string;
  };
  notes: { id: Generated<number>; feature_id: string; actor_type: string; actor_id: string; text: string; at: number };
}

export async function createFeatures(tx: Tx): Promise<void> {
  await tx.schema
    .createTable("features")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("run_id", "text", (column) => column.notNull())
    .addColumn("status", "text", (column) => column.notNull())
    .addColumn("status_reason", "text", (column) => column.notNull())
    .addColumn("version", "integer", (column) => column.notNull())
    .addColumn("branch", "text", (column) => column.notNull())
    .addColumn("worktree", "text", (column) => column.notNull())
    .addColumn("base_branch", "text", (column) => column.notNull())
    .addColumn("base_commit", "text", (column) => column.notNull())
    .addColumn("tree", "text", (column) => column.notNull())
    .addColumn("spec_source", "text", (column) => column.notNull())
    .addColumn("spec_digest", "text", (column) => column.notNull())
    .addColumn("gate_profile", "text", (column) => column.notNull())
    .addColumn("gates", "text", (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("updated_at", "bigint", (column) => column.notNull())
    .execute();
  await tx.schema
    .createTable("plans")
    .addColumn("feature_id", "text", (column) => column.notNull().references("features.id"))
    .addColumn("plan_version", "integer", (column) => column.notNull())
    .addColumn("plan", "text", (column) => column.notNull())
    .addColumn("accepted_at", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("plans_key", ["feature_id", "plan_version"])
    .execute();
  await tx.schema
    .createTable("merges")
    .addColumn("feature_id", "text", (column) => column.primaryKey().references("features.id"))
    .addColumn("commit_sha", "text", (column) => column.notNull())
    .addColumn("feature_commit", "text", (column) => column.notNull())
    .addColumn("tree", "text", (column) => column.notNull())
    .addColumn("base_branch", "text", (column) => column.notNull())
    .addColumn("base_before", "text", (column) => column.notNull())
    .addColumn("strategy", "text", (column) => column.notNull())
    .addColumn("change", "text", (column) => column.notNull())
    .addColumn("approval_id", "text", (column) => column.notNull())
    .addColumn("approved_by", "text", (column) => column.notNull())
    .addColumn("at", "bigint", (column) => column.notNull())
    .execute();
  await tx.schema
    .createTable("notes")
    .addColumn("id", "integer", (column) => column.primaryKey().autoIncrement())
    .addColumn("feature_id", "text", (column) => column.notNull().references("features.id"))
    .addColumn("actor_type", "text", (column) => column.notNull())
    .addColumn("actor_id", "text", (column) => column.notNull())
    .addColumn("text", "text", (column) => column.notNull())
    .addColumn("at", "bigint", (column) => column.notNull())
    .execute();
}

const STATE_COLUMNS: Readonly<Record<string, unknown>> = {
  cluster: {
    orchestrator_session_id: "unknown",
    planner_session_id: "unknown",
    builder_session_id: "unknown",
    qa_session_id: "unknown",
  },
  role_status: { planner: "ready", builder: "ready", qa: "ready" },
  collisions: { files: [], areas: [], contracts: [] },
  evidence: {},
  extra: {},
};

/** No session plays a role yet. */
export const NO_SESSIONS = {
  cluster: JSON.stringify(STATE_COLUMNS["cluster"]),
  role_status: JSON.stringify(STATE_COLUMNS["role_status"]),
};

/** Columns for `state.md`, and indexes that keep the cost of reports and projections independent of the history. */
export async function addFeatureState(tx: Tx): Promise<void> {
  for (const [name, value] of Object.entries(STATE_COLUMNS)) {
    await tx.schema
      .alterTable("features")
      .addColumn(name, "text", (column) => column.notNull().defaultTo(JSON.stringify(value)))
      .execute();
  }
  await tx.schema.createIndex("notes_of_feature").on("notes").columns(["feature_id", "id"]).execute();
  await tx.schema.createIndex("telemetry_cost").on("telemetry").columns(["feature_id", "cost_usd"]).execute();
}

export async function addGateSnapshot(tx: Tx): Promise<void> {
  await tx.schema.alterTable("merges").addColumn("gate_snapshot", "text").execute();
}

export async function createDeletedFeatures(tx: Tx): Promise<void> {
  await tx.schema
    .createTable("deleted_features")
    .addColumn("label", "text", (column) => column.primaryKey())
    .addColumn("id", "text", (column) => column.notNull())
    .addColumn("run_id", "text", (column) => column.notNull())
    .addColumn("status", "text", (column) => column.notNull())
    .addColumn("tree", "text", (column) => column.notNull())
    .addColumn("base_branch", "text", (column) => column.notNull())
    .addColumn("base_commit", "text", (column) => column.notNull())
    .addColumn("merge", "text")
    .addColumn("deleted_at", "bigint", (column) => column.notNull())
    .addColumn("deleted_by", "text", (column) => column.notNull())
    .execute();
  await tx.schema.createIndex("deleted_features_of_name").on("deleted_features").columns(["id", "deleted_at"]).execute();
}
