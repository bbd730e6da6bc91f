import type { Selectable } from "kysely";
import { preparedQueryWith } from "../record/database/prepared-query.ts";
import type { Db, Tx } from "../record/database/tables.ts";
import type { Records } from "../record/storage.ts";
import type { BudgetTables } from "./tables.ts";

/** The cost of one invocation of an agent. */
export type Telemetry = Selectable<BudgetTables["telemetry"]>;

export async function recordTelemetry(tx: Tx, row: Telemetry): Promise<void> {
  await tx.insertInto("telemetry").values(row).execute();
}

/** Adds a call to its invocation: the first call inserts the row, later calls add to it. */
export async function addTelemetry(tx: Tx, row: Telemetry): Promise<void> {
  await addedRow(tx, row);
}

const addedRow = preparedQueryWith((db, row: Telemetry) =>
  db
    .insertInto("telemetry")
    .values(row)
    .onConflict((conflict) =>
      conflict.column("id").doUpdateSet((eb) => ({
        provider: row.provider,
        model: row.model,
        input_tokens: eb("telemetry.input_tokens", "+", row.input_tokens),
        output_tokens: eb("telemetry.output_tokens", "+", row.output_tokens),
        cost_usd: eb("telemetry.cost_usd", "+", row.cost_usd),
        duration_ms: eb("telemetry.duration_ms", "+", row.duration_ms),
        calls: eb("telemetry.calls", "+", row.calls),
        at: row.at,
      })),
    ),
);

/** Records the transcript of an invocation that has ended. An invocation without a call gets a row, too. */
export async function noteTranscript(tx: Tx, row: Omit<Telemetry, keyof typeof NO_CALL>): Promise<void> {
  await notedRow(tx, { ...row, ...NO_CALL });
}

const notedRow = preparedQueryWith((db, row: Telemetry) =>
  db
    .insertInto("telemetry")
    .values(row)
    .onConflict((conflict) => conflict.column("id").doUpdateSet({ transcript_digest: row.transcript_digest })),
);

const NO_CALL = { input_tokens: 0, output_tokens: 0, cost_usd: 0, duration_ms: 0, calls: 0 };

export async function telemetryOf(db: Db | Tx, { feature_id }: { readonly feature_id: string }): Promise<Telemetry[]> {
  return db.selectFrom("telemetry").selectAll().where("feature_id", "=", feature_id).orderBy("at").orderBy("id").execute();
}

/** Of a run and its children. */
export async function telemetryOfRun({ database: { db } }: Pick<Records, "database">, runId: string): Promise<Telemetry[]> {
  // "0" is the character after "/".
  return db
    .selectFrom("telemetry")
    .selectAll()
    .where((where) =>
      where.or([where("run_id", "=", runId), where.and([where("run_id", ">=", `${runId}/`), where("run_id", "<", `${runId}0`)])]),
    )
    .orderBy("at")
    .orderBy("id")
    .execute();
}

/** The ids of the runs and parts of runs in which agents worked for the feature. */
export async function runsWorkingOn({ database: { db } }: Pick<Records, "database">, feature_id: string): Promise<string[]> {
  return [...new Set((await telemetryOf(db, { feature_id })).map(({ run_id }) => run_id))];
}

export interface Totals {
  readonly invocations: number;
  readonly calls: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cost_usd: number;
  readonly duration_ms: number;
}

export function totalsOf(rows: readonly Telemetry[]): Totals {
  const sum = (field: "calls" | "input_tokens" | "output_tokens" | "cost_usd" | "duration_ms") =>
    rows.reduce((total, row) => total + row[field], 0);
  return {
    invocations: rows.length,
    calls: sum("calls"),
    input_tokens: sum("input_tokens"),
    output_tokens: sum("output_tokens"),
    cost_usd: sum("cost_usd"),
    duration_ms: sum("duration_ms"),
  };
}
