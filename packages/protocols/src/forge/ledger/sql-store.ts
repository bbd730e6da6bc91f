import type { Db, Tx } from "@slipway/kernel/record/database/tables";
import { recordFact } from "@slipway/kernel/record/facts/collect";
import { CompiledQuery } from "kysely";
import { GATES, gateResult, gateValues, positionalSql } from "./gates.ts";
import type { EvidenceRow, LedgerStore, TelemetryReport } from "./ledger-store.ts";
import {
  COUNTS_SQL,
  DISPATCH_ERRORS_SQL,
  DISPATCHES_SQL,
  EVIDENCE_SQL,
  KNOWN_FAILURES_SQL,
  REGRESSIONS_SQL,
  STEP_SECONDS_SQL,
  type EvidenceCounts,
  type LedgerRegression,
  type StepSeconds,
} from "./questions.ts";
import { assertRecorded, assertRunRecorded } from "./recorded-rows.ts";
import type { CheckRow, DispatchKey } from "./rows.ts";

async function ask<R>(db: Db, sql: string, values: object): Promise<R[]> {
  const { text, parameters } = positionalSql(sql, values as Readonly<Record<string, string | number>>);
  return (await db.executeQuery<R>(CompiledQuery.raw(text, [...parameters]))).rows;
}

async function countOf(db: Db, sql: string, values: object): Promise<number> {
  return (await ask<{ count: number }>(db, sql, values))[0]?.count ?? 0;
}

const dispatches = (tx: Tx, { run_id, step, agent, instance }: DispatchKey) =>
  tx
    .selectFrom("pipeline_telemetry")
    .selectAll()
    .where("run_id", "=", run_id)
    .where("step", "=", step)
    .where("agent", "=", agent)
    .where("instance", "=", instance);

/** A row of evidence is bound to the event of its operation. */
async function addCheck(tx: Tx, row: Omit<CheckRow, "id">): Promise<CheckRow> {
  const added = await tx.insertInto("anvil_checks").values(row).returningAll().executeTakeFirstOrThrow();
  recordFact(tx, "anvil_checks", String(added.id), added);
  return { ...row, id: added.id };
}

/** The ledger in its two tables. */
export const SQL_STORE: LedgerStore = {
  kind: "sqlite",
  async append(tx, row, source) {
    const all = tx.selectFrom("anvil_checks").selectAll();
    const { run_id, task_id, phase, check_name, round } = row;
    if (source === null) return addCheck(tx, row);
    const key = { check_id: source, check_name, run_id, task_id, phase, round };
    const known = await tx
      .selectFrom("anvil_sources")
      .select("anvil_id")
      .where((row) => row.and(key))
      .executeTakeFirst();
    if (known !== undefined) return all.where("id", "=", known.anvil_id).executeTakeFirstOrThrow();
    const added = await addCheck(tx, row);
    await tx
      .insertInto("anvil_sources")
      .values({ ...key, anvil_id: added.id })
      .execute();
    return added;
  },
  async findVerdict(tx, { run_id, task_id, check_name, round }) {
    const found = tx.selectFrom("anvil_checks").selectAll().where("phase", "=", "review");
    return (await found.where((row) => row.and({ run_id, task_id, check_name, round })).executeTakeFirst()) ?? null;
  },
  findDispatch: async (tx, key) => (await dispatches(tx, key).executeTakeFirst()) ?? null,
  async addDispatch(tx, row) {
    const { id } = await tx.insertInto("pipeline_telemetry").values(row).returning("id").executeTakeFirstOrThrow();
    return { ...row, id };
  },
  async endDispatch(tx, { id, completed_at, status, dispatch_count, retry_count, notes }) {
    const ended = { completed_at, status, dispatch_count, retry_count, notes };
    await tx.updateTable("pipeline_telemetry").set(ended).where("id", "=", id).execute();
  },
  async rows(db, runId) {
    return {
      checks: await db.selectFrom("anvil_checks").selectAll().where("run_id", "=", runId).orderBy("id").execute(),
      telemetry: await db.selectFrom("pipeline_telemetry").selectAll().where("run_id", "=", runId).orderBy("id").execute(),
    };
  },
  assertRecorded: assertRunRecorded,
  async gate(db, question) {
    await assertRecorded(db, question);
    return gateResult(question, await countOf(db, GATES[question.gate].sql, gateValues(question)));
  },
  evidence: (db, task) => ask<EvidenceRow>(db, EVIDENCE_SQL, task),
  async counts(db, round) {
    const [row] = await ask<EvidenceCounts>(db, COUNTS_SQL, round);
    return row ?? { total_checks: 0, passed: 0, failed: 0 };
  },
  regressions: (db, round) => ask<LedgerRegression>(db, REGRESSIONS_SQL, round),
  knownFailures: (db, round) => ask<LedgerRegression>(db, KNOWN_FAILURES_SQL, round),
  async telemetry(db, run_id) {
    return {
      dispatches: await countOf(db, DISPATCHES_SQL, { run_id }),
      seconds_per_step: await ask<StepSeconds>(db, STEP_SECONDS_SQL, { run_id }),
      errors: await ask<TelemetryReport["errors"][number]>(db, DISPATCH_ERRORS_SQL, { run_id }),
    };
  },
};
