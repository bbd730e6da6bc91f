import type { Tx } from "../record/database/tables.ts";
import type { Dimension } from "./amounts.ts";

/** reserved: running. settled, failed: the cost is known. cut_off: its process died, and the worst case counts. */
export type ReservationStatus = "reserved" | "settled" | "failed" | "cut_off" | "released";

export type BudgetScope = "run" | "feature" | "role";

/**
 * A role is stored as `protocol/role`, or by its bare name if the protocol is the default one. So rows from the time when every role had
 * its bare name stay valid, and a row has the name that agents.yaml, questions and reports use.
 */
export interface BudgetTables {
  /** The cost of one invocation of an agent. The migration of `checks` creates the table. */
  telemetry: {
    id: string;
    run_id: string;
    /** The subject: a feature, or what else the protocol works on, such as a module. */
    feature_id: string | null;
    role: string;
    provider: string;
    model: string | null;
    input_tokens: number;
    output_tokens: number;
    cost_usd: number;
    duration_ms: number;
    calls: number;
    transcript_digest: string | null;
    at: number;
  };
  /** One call to a provider. The amounts are its worst case while it is running or cut off, and its real cost once that is known. */
  reservations: {
    id: string;
    /** The invocation that the call belongs to; the same across restarts and pauses. */
    invocation: string;
    repair: number;
    prompt_digest: string;
    /** The part of the run that makes the call, and the run itself. */
    run_id: string;
    root_run_id: string;
    feature_id: string;
    role: string;
    provider: string;
    model: string | null;
    status: ReservationStatus;
    /** The process that makes the call. */
    owner: string;
    cost_usd: number;
    tokens: number;
    calls: number;
    duration_ms: number;
    /** JSON: the reserved worst case. */
    worst: string;
    /** The answer, so that it is not paid for again: a short one as JSON, a long one as a reference to the object store. */
    reply_digest: string | null;
    at: number;
    ended_at: number | null;
  };
  /** The limits under which anything was reserved. */
  budgets: {
    root_run_id: string;
    scope: BudgetScope;
    /** The feature or the role; empty for the run. */
    name: string;
    dimension: Dimension;
    /** From agents.yaml; null if it was removed there. */
    configured: number | null;
    /** By a person, for this run. */
    raised: number | null;
  };
  /** Invocations that a person allowed beyond their budget. */
  budget_allowances: {
    invocation: string;
    at: number;
  };
}

export async function createBudget(tx: Tx): Promise<void> {
  await tx.schema
    .createTable("reservations")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("invocation", "text", (column) => column.notNull())
    .addColumn("repair", "integer", (column) => column.notNull())
    .addColumn("prompt_digest", "text", (column) => column.notNull())
    .addColumn("run_id", "text", (column) => column.notNull())
    .addColumn("root_run_id", "text", (column) => column.notNull())
    .addColumn("feature_id", "text", (column) => column.notNull())
    .addColumn("role", "text", (column) => column.notNull())
    .addColumn("provider", "text", (column) => column.notNull())
    .addColumn("model", "text")
    .addColumn("status", "text", (column) => column.notNull())
    .addColumn("owner", "text", (column) => column.notNull())
    .addColumn("cost_usd", "real", (column) => column.notNull())
    .addColumn("tokens", "bigint", (column) => column.notNull())
    .addColumn("calls", "integer", (column) => column.notNull())
    .addColumn("duration_ms", "bigint", (column) => column.notNull())
    .addColumn("worst", "text", (column) => column.notNull())
    .addColumn("reply_digest", "text")
    .addColumn("at", "bigint", (column) => column.notNull())
    .addColumn("ended_at", "bigint")
    .execute();
  await tx.schema.createIndex("reservations_of_run").on("reservations").columns(["root_run_id", "status"]).execute();
  await tx.schema.createIndex("reservations_of_invocation").on("reservations").columns(["invocation", "repair"]).execute();
  await tx.schema
    .createTable("budgets")
    .addColumn("root_run_id", "text", (column) => column.notNull())
    .addColumn("scope", "text", (column) => column.notNull())
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("dimension", "text", (column) => column.notNull())
    .addColumn("configured", "real")
    .addColumn("raised", "real")
    .addPrimaryKeyConstraint("budgets_key", ["root_run_id", "scope", "name", "dimension"])
    .execute();
  await tx.schema
    .createTable("budget_allowances")
    .addColumn("invocation", "text", (column) => column.primaryKey())
    .addColumn("at", "bigint", (column) => column.notNull())
    .execute();
}
