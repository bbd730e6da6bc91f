import type { Generated } from "kysely";
import type { Tx } from "../database/tables.ts";
import type { DecisionStatus, SettledConfidence } from "./decision.ts";

export interface DecisionTables {
  /** Entries are never deleted. A trigger refuses changes to content columns, and statuses that go back. */
  decisions: {
    /** The order in which they were appended. */
    seq: Generated<number>;
    scope: string;
    id: string;
    at: number;
    constraint: string;
    category: string;
    source: string;
    phase: string;
    /** The confidence it was appended with; `suspended` tells whether that holds. */
    confidence: SettledConfidence;
    /** JSON, in the order given; `decision_dependencies` has the same as rows. */
    dependencies: string;
    failure_context: string | null;
    contradiction_resolved: string | null;
    user_notes: string | null;
    rationale: string | null;
    supersedes: string | null;
    /** Why it supersedes another entry. */
    supersedes_reason: string | null;
    status: DecisionStatus;
    suspended: number;
    /** The root of the cascade that suspended it. */
    suspended_by: string | null;
    superseded_by: string | null;
    /** Why it ended. */
    ended_reason: string | null;
    /** JSON, like `validation`. */
    failure_report: string | null;
    /** The proof of its last reinstatement. */
    validation: string | null;
    /** Set by compaction; the entry stays readable by its id. */
    archived: number;
  };
  decision_dependencies: { scope: string; decision: string; depends_on: string };
  /** The last number that was given out for a prefix. */
  decision_numbers: { scope: string; prefix: string; last: number };
}

const CONTENT = [
  "seq",
  "scope",
  "id",
  "at",
  "constraint",
  "category",
  "source",
  "phase",
  "confidence",
  "dependencies",
  "failure_context",
  "contradiction_resolved",
  "user_notes",
  "rationale",
  "supersedes",
  "supersedes_reason",
];

export async function createDecisions(tx: Tx): Promise<void> {
  await tx.schema
    .createTable("decisions")
    .addColumn("seq", "integer", (column) => column.primaryKey().autoIncrement())
    .addColumn("scope", "text", (column) => column.notNull())
    .addColumn("id", "text", (column) => column.notNull())
    .addColumn("at", "bigint", (column) => column.notNull())
    .addColumn("constraint", "text", (column) => column.notNull())
    .addColumn("category", "text", (column) => column.notNull())
    .addColumn("source", "text", (column) => column.notNull())
    .addColumn("phase", "text", (column) => column.notNull())
    .addColumn("confidence", "text", (column) => column.notNull())
    .addColumn("dependencies", "text", (column) => column.notNull())
    .addColumn("failure_context", "text")
    .addColumn("contradiction_resolved", "text")
    .addColumn("user_notes", "text")
    .addColumn("rationale", "text")
    .addColumn("supersedes", "text")
    .addColumn("supersedes_reason", "text")
    .addColumn("status", "text", (column) => column.notNull())
    .addColumn("suspended", "integer", (column) => column.notNull())
    .addColumn("suspended_by", "text")
    .addColumn("superseded_by", "text")
    .addColumn("ended_reason", "text")
    .addColumn("failure_report", "text")
    .addColumn("validation", "text")
    .addColumn("archived", "integer", (column) => column.notNull())
    .execute();
  await tx.schema.createIndex("decisions_by_id").on("decisions").columns(["scope", "id"]).unique().execute();
  await tx.schema.createIndex("decisions_by_status").on("decisions").columns(["scope", "status", "confidence"]).execute();
  await tx.schema
    .createTable("decision_dependencies")
    .addColumn("scope", "text", (column) => column.notNull())
    .addColumn("decision", "text", (column) => column.notNull())
    .addColumn("depends_on", "text", (column) => column.notNull())
    .addPrimaryKeyConstraint("decision_dependencies_key", ["scope", "decision", "depends_on"])
    .execute();
  await tx.schema.createIndex("decision_dependents").on("decision_dependencies").columns(["scope", "depends_on"]).execute();
  await tx.schema
    .createTable("decision_numbers")
    .addColumn("scope", "text", (column) => column.notNull())
    .addColumn("prefix", "text", (column) => column.notNull())
    .addColumn("last", "integer", (column) => column.notNull())
    .addPrimaryKeyConstraint("decision_numbers_key", ["scope", "prefix"])
    .execute();
  const columns = CONTENT.map((column) => `"${column}"`).join(", ");
  await refuse(tx, "decisions_content", `UPDATE OF ${columns} ON decisions`, "the content of a decision never changes");
  await refuse(
    tx,
    "decisions_status",
    "UPDATE OF status ON decisions WHEN OLD.status <> 'active' AND NEW.status <> OLD.status",
    "an ended decision stays ended",
  );
  await refuse(tx, "decisions_kept", "DELETE ON decisions", "a decision is never deleted");
  await refuse(tx, "decision_edges_fixed", "UPDATE ON decision_dependencies", "the dependencies of a decision never change");
  await refuse(tx, "decision_edges_kept", "DELETE ON decision_dependencies", "the dependencies of a decision never change");
}

async function refuse(tx: Tx, name: string, when: string, message: string): Promise<void> {
  // Imported only here: it loads Kysely, which commands that only read the version do without.
  const { statement } = await import("../database/dialect.ts");
  await statement(tx, `CREATE TRIGGER ${name} BEFORE ${when} BEGIN SELECT RAISE(ABORT, '${message}'); END`);
}
