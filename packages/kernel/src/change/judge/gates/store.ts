import { canonicalJson } from "@slipway/durable/canonical";
import type { Failure } from "@slipway/durable/errors";
import type { Selectable } from "kysely";
import { preparedQueryWith } from "../../../record/database/prepared-query.ts";
import type { Db, Tx } from "../../../record/database/tables.ts";
import type { SeenProgram } from "../../../host/toolchain/program.ts";
import type { Product } from "./products.ts";
import type { GateTables } from "./tables.ts";

/** One step of a run as stored and shown. */
export interface RecordedStep {
  readonly name: string;
  readonly command: readonly string[];
  readonly status: "pass" | "fail" | "skipped";
  readonly exit_code: number | null;
  readonly duration_ms: number;
  readonly log_path: string;
  /** In the object store; null for a step that did not run or wrote nothing. */
  readonly log_digest: string | null;
  /** Null for a step that did not start; missing in records of earlier versions. */
  readonly program?: SeenProgram | null;
  /** Products for later steps. */
  readonly produced?: readonly Product[];
}

export interface GateRunRecord extends Omit<Selectable<GateTables["gate_runs"]>, "failure" | "steps"> {
  readonly failure: Failure | null;
  readonly steps: readonly RecordedStep[];
}

const insertRun = preparedQueryWith((db, row: Selectable<GateTables["gate_runs"]>) => db.insertInto("gate_runs").values(row));

export async function recordGateRun(tx: Tx, { failure, steps, ...run }: GateRunRecord): Promise<void> {
  await insertRun(tx, { ...run, failure: failure === null ? null : canonicalJson(failure), steps: canonicalJson(steps) });
}

/** The last finished run of any profile and mode; cancelled runs do not count. */
export async function latestGateRun(db: Db | Tx, feature_id: string): Promise<GateRunRecord | null> {
  const row = await db
    .selectFrom("gate_runs")
    .selectAll()
    .where("feature_id", "=", feature_id)
    .where("status", "!=", "cancelled")
    .orderBy("at", "desc")
    .orderBy("id", "desc")
    .executeTakeFirst();
  return row === undefined ? null : recordOf(row);
}

function recordOf(row: Selectable<GateTables["gate_runs"]>): GateRunRecord {
  return {
    ...row,
    failure: row.failure === null ? null : (JSON.parse(row.failure) as Failure),
    steps: JSON.parse(row.steps) as RecordedStep[],
  };
}
