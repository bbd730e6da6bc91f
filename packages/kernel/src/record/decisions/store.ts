import type { Insertable, Selectable } from "kysely";
import { SlipwayError } from "../../schema/errors.ts";
import { preparedQuery, preparedQueryWith } from "../database/prepared-query.ts";
import type { Db, Tx } from "../database/tables.ts";
import type { Decision, FailureReport } from "./decision.ts";
import type { DecisionTables } from "./tables.ts";

type Row = Selectable<DecisionTables["decisions"]>;
export type NewDecisionRow = Omit<Insertable<DecisionTables["decisions"]>, "seq">;

export function decisionFrom(row: Row): Decision {
  const { confidence, suspended } = row;
  const optional = {
    failure_context: row.failure_context,
    contradiction_resolved: row.contradiction_resolved,
    user_notes: row.user_notes,
    rationale: row.rationale,
    suspended_from: suspended === 1 ? confidence : null,
    supersedes: row.supersedes,
    superseded_by: row.superseded_by,
    reason: row.ended_reason ?? row.supersedes_reason,
  };
  return {
    id: row.id,
    timestamp: new Date(row.at).toISOString(),
    constraint: row.constraint,
    category: row.category,
    source: row.source,
    phase: row.phase,
    confidence: suspended === 1 ? "suspended" : confidence,
    dependencies: JSON.parse(row.dependencies) as string[],
    status: row.status,
    ...(Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== null)) as Partial<Decision>),
  };
}

const byId = preparedQuery((db, scope: string, id: string) =>
  db.selectFrom("decisions").selectAll().where("scope", "=", scope).where("id", "=", id),
);
const insertRow = preparedQueryWith((db, row: NewDecisionRow) => db.insertInto("decisions").values(row));
const insertEdge = preparedQueryWith((db, edge: DecisionTables["decision_dependencies"]) =>
  db.insertInto("decision_dependencies").values(edge),
);
const lastNumber = preparedQuery((db, scope: string, prefix: string) =>
  db.selectFrom("decision_numbers").select("last").where("scope", "=", scope).where("prefix", "=", prefix),
);
const writeNumber = preparedQueryWith((db, row: DecisionTables["decision_numbers"]) =>
  db
    .insertInto("decision_numbers")
    .values(row)
    .onConflict((conflict) => conflict.columns(["scope", "prefix"]).doUpdateSet({ last: row.last })),
);

export async function findDecision(db: Db | Tx, scope: string, id: string): Promise<Decision | undefined> {
  const [row] = await byId(db, scope, id);
  return row === undefined ? undefined : decisionFrom(row);
}

export async function mustFind(db: Db | Tx, scope: string, id: string): Promise<Decision> {
  const found = await findDecision(db, scope, id);
  if (found !== undefined) return found;
  throw new SlipwayError("decision_not_found", `There is no decision ${JSON.stringify(id)} in ${scope}.`, {
    decision_id: id,
    scope,
    suggested_next_actions: ["Look the id up in the list of decisions."],
  });
}

export async function insertDecision(tx: Tx, row: NewDecisionRow, dependencies: readonly string[]): Promise<void> {
  await insertRow(tx, row);
  for (const depends_on of dependencies) await insertEdge(tx, { scope: row.scope, decision: row.id, depends_on });
}

const DIGITS = 3;

/** The next free id with the prefix: `d001`. */
export async function nextId(tx: Tx, scope: string, prefix: string): Promise<string> {
  const [row] = await lastNumber(tx, scope, prefix);
  for (let number = (row?.last ?? 0) + 1; ; number++) {
    const id = `${prefix}${String(number).padStart(DIGITS, "0")}`;
    if ((await byId(tx, scope, id)).length > 0) continue;
    await writeNumber(tx, { scope, prefix, last: number });
    return id;
  }
}

/** Sets only columns of the lifecycle; a trigger refuses every other one. */
export async function updateLifecycle(
  tx: Tx,
  scope: string,
  id: string,
  change: Partial<
    Pick<Row, "status" | "suspended" | "suspended_by" | "superseded_by" | "ended_reason" | "failure_report" | "validation" | "archived">
  >,
): Promise<void> {
  await tx.updateTable("decisions").set(change).where("scope", "=", scope).where("id", "=", id).execute();
}

/** Suspends every direct and transitive dependent that is in force. Returns their ids in the order in which they were appended. */
export async function suspendDependents(tx: Tx, scope: string, root: string): Promise<string[]> {
  const rows = await tx
    // UNION, not UNION ALL: each entry is visited once, so the query ends for any edges.
    .withRecursive("below(id)", (query) =>
      query
        .selectFrom("decision_dependencies")
        .select("decision as id")
        .where("scope", "=", scope)
        .where("depends_on", "=", root)
        .union(
          query
            .selectFrom("decision_dependencies as edge")
            .innerJoin("below", "below.id", "edge.depends_on")
            .select("edge.decision as id")
            .where("edge.scope", "=", scope),
        ),
    )
    .selectFrom("below")
    .innerJoin("decisions", "decisions.id", "below.id")
    .select("decisions.id as id")
    .where("decisions.scope", "=", scope)
    .where("decisions.status", "=", "active")
    .where("decisions.suspended", "=", 0)
    .where("decisions.id", "!=", root)
    .orderBy("decisions.seq")
    .execute();
  for (const { id } of rows) await updateLifecycle(tx, scope, id, { suspended: 1, suspended_by: root });
  return rows.map(({ id }) => id);
}

/** Invalidates the entry and suspends its dependents in the same transaction. */
export async function endDecision(
  tx: Tx,
  scope: string,
  id: string,
  why: { readonly reason: string; readonly report?: FailureReport },
): Promise<string[]> {
  const failure_report = why.report === undefined ? null : JSON.stringify(why.report);
  await updateLifecycle(tx, scope, id, { status: "invalidated", suspended: 0, ended_reason: why.reason, failure_report });
  return suspendDependents(tx, scope, id);
}
