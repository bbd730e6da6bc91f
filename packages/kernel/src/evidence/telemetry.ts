import type { Selectable } from "kysely";
import type { Db, Tx } from "../database/tables.ts";
import type { EvidenceTables } from "./tables.ts";

/** What one invocation of an agent took. */
export type Telemetry = Selectable<EvidenceTables["telemetry"]>;

export async function recordTelemetry(tx: Tx, row: Telemetry): Promise<void> {
  await tx.insertInto("telemetry").values(row).execute();
}

export async function telemetryOf(db: Db | Tx, { feature_id }: { readonly feature_id: string }): Promise<Telemetry[]> {
  return db.selectFrom("telemetry").selectAll().where("feature_id", "=", feature_id).orderBy("at").orderBy("id").execute();
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
