import { SlipwayError } from "@slipway/agents/errors";
import type { Db, Tx } from "@slipway/kernel/record/database/tables";
import { recordFact } from "@slipway/kernel/record/facts/collect";
import { absentRow, assertUntouched, rowFault } from "@slipway/kernel/record/facts/compare";
import { journalFacts } from "@slipway/kernel/record/facts/read-back";
import { baselinesOf, GATES, gateResult, gateValues, isExcused } from "./gates.ts";
import type { EvidenceRow, LedgerStore, TaskRound } from "./ledger-store.ts";
import { isMarker, type LedgerRegression, type StepSeconds } from "./questions.ts";
import type { CheckRow, DispatchKey, DispatchRow } from "./rows.ts";
import type { ForgeTables } from "./tables.ts";
import { readYamlLedger, writeYamlLedger, type YamlLedgerDocument } from "./yaml-document.ts";

const TABLE = "forge_yaml_ledgers";

/** The same ledger in one YAML document of the run, for a machine that cannot write `verification-ledger.db`. */
export const YAML_STORE: LedgerStore = {
  kind: "yaml",
  append: (tx, row, source) =>
    change(tx, row.run_id, ({ anvil_checks: checks }) => {
      const known = source === null ? undefined : checks.find((other) => other.source === source && isSameCheck(other, row));
      if (known !== undefined) return withoutSource(known);
      const added = { id: nextId(checks), ...row };
      checks.push({ ...added, source });
      return added;
    }),
  async findVerdict(tx, key) {
    const { anvil_checks } = await load(tx, key.run_id);
    const found = anvil_checks.find((row) => row.phase === "review" && isSameCheck(row, { ...key, phase: "review" }));
    return found === undefined ? null : withoutSource(found);
  },
  findDispatch: async (tx, key) => (await load(tx, key.run_id)).pipeline_telemetry.find((row) => isSameDispatch(row, key)) ?? null,
  addDispatch: (tx, row) =>
    change(tx, row.run_id, ({ pipeline_telemetry: telemetry }) => {
      const added = { id: nextId(telemetry), ...row };
      telemetry.push(added);
      return added;
    }),
  endDispatch: (tx, row) =>
    change(tx, row.run_id, ({ pipeline_telemetry: telemetry }) => {
      telemetry.splice(
        telemetry.findIndex(({ id }) => id === row.id),
        1,
        row,
      );
    }),
  async rows(db, runId) {
    const { anvil_checks, pipeline_telemetry } = await load(db, runId);
    return { checks: anvil_checks.map(withoutSource), telemetry: pipeline_telemetry };
  },
  assertRecorded,
  async gate(db, question) {
    await assertRecorded(db, question.run_id);
    const { anvil_checks } = await load(db, question.run_id);
    const ofTask = anvil_checks.filter(({ task_id }) => task_id === question.task_id);
    const values = gateValues(question);
    return gateResult(question, ofTask.filter((row) => GATES[question.gate].counts(row, values, ofTask)).length);
  },
  async evidence(db, { run_id, task_id }) {
    const { anvil_checks } = await load(db, run_id);
    return anvil_checks
      .filter((row) => row.task_id === task_id)
      .toSorted((left, right) => PHASE_ORDER[left.phase] - PHASE_ORDER[right.phase] || left.id - right.id)
      .map(evidenceRow);
  },
  async counts(db, round) {
    const rows = (await inRound(db, round)).after;
    const passed = rows.filter((row) => row.passed === 1).length;
    return { total_checks: rows.length, passed, failed: rows.length - passed };
  },
  async regressions(db, round) {
    const { after, all } = await inRound(db, round);
    return after.filter((row) => row.passed === 0 && baselinesOf(row, all).some(({ passed }) => passed === 1)).map(regressionRow);
  },
  async knownFailures(db, round) {
    const { after, all } = await inRound(db, round);
    return after.filter((row) => row.passed === 0 && isExcused(row, all)).map(regressionRow);
  },
  async telemetry(db, runId) {
    const { pipeline_telemetry: rows } = await load(db, runId);
    const errors = rows.filter(({ status }) => status === "ERROR");
    return {
      dispatches: rows.length,
      seconds_per_step: secondsPerStep(rows),
      errors: errors.map(({ step, agent, status, notes }) => ({ step, agent, status, notes })),
    };
  },
};

/** `phase DESC` of the evidence query. */
const PHASE_ORDER = { review: 0, baseline: 1, after: 2 } as const;

async function load(db: Db | Tx, runId: string): Promise<YamlLedgerDocument> {
  const row = await db.selectFrom(TABLE).select("yaml_ledger").where("run_id", "=", runId).executeTakeFirst();
  if (row === undefined)
    throw new SlipwayError("internal_error", `The run ${runId} keeps no YAML ledger.`, {
      run_id: runId,
      suggested_next_actions: ["Record the run with the YAML ledger before writing to it."],
    });
  return readYamlLedger(row.yaml_ledger);
}

async function change<T>(tx: Tx, runId: string, edit: (ledger: YamlLedgerDocument) => T): Promise<T> {
  const ledger = await load(tx, runId);
  const result = edit(ledger);
  await saveYamlLedger(tx, { run_id: runId, yaml_ledger: writeYamlLedger(ledger) });
  return result;
}

/** The whole ledger is one row, and bound to the event of the operation that writes it. */
export async function saveYamlLedger(tx: Tx, row: ForgeTables[typeof TABLE]): Promise<void> {
  const { yaml_ledger } = row;
  await tx
    .insertInto(TABLE)
    .values(row)
    .onConflict((conflict) => conflict.column("run_id").doUpdateSet({ yaml_ledger }))
    .execute();
  recordFact(tx, TABLE, row.run_id, row);
}

/** A gate counts only what the journal has recorded. */
async function assertRecorded(db: Db, runId: string): Promise<void> {
  const facts = await journalFacts(db);
  const row = await db.selectFrom(TABLE).selectAll().where("run_id", "=", runId).executeTakeFirst();
  assertUntouched([row === undefined ? absentRow(facts, TABLE, runId) : rowFault(facts, TABLE, runId, row)]);
}

async function inRound(db: Db, { run_id, task_id, round }: TaskRound): Promise<{ after: CheckRow[]; all: CheckRow[] }> {
  const all = (await load(db, run_id)).anvil_checks.filter((row) => row.task_id === task_id).map(withoutSource);
  return { after: all.filter((row) => row.phase === "after" && row.round === round && !isMarker(row)), all };
}

function nextId(rows: readonly { id: number }[]): number {
  return (rows.at(-1)?.id ?? 0) + 1;
}

function isSameCheck(row: CheckRow, key: Pick<CheckRow, "task_id" | "phase" | "check_name" | "round">): boolean {
  return row.task_id === key.task_id && row.phase === key.phase && row.check_name === key.check_name && row.round === key.round;
}

function isSameDispatch(row: DispatchRow, key: DispatchKey): boolean {
  return row.step === key.step && row.agent === key.agent && row.instance === key.instance;
}

function withoutSource({ source: _source, ...row }: YamlLedgerDocument["anvil_checks"][number]): CheckRow {
  return row;
}

function evidenceRow(row: CheckRow): EvidenceRow {
  const { phase, check_name, tool, command, exit_code, passed, verdict, severity, round, output_snippet } = row;
  return { phase, check_name, tool, command, exit_code, passed, verdict, severity, round, output_snippet };
}

function regressionRow({ task_id, check_name, round, output_snippet }: CheckRow): LedgerRegression {
  return { task_id, check_name, round, output_snippet };
}

function secondsPerStep(rows: readonly DispatchRow[]): StepSeconds[] {
  const steps = [...new Set(rows.map(({ step }) => step))].toSorted((left, right) => (left < right ? -1 : 1));
  return steps.map((step) => {
    const ended = rows.flatMap(({ step: other, started_at, completed_at }) =>
      other === step && completed_at !== null ? [(Date.parse(completed_at) - Date.parse(started_at)) / 1000] : [],
    );
    return { step, avg_seconds: ended.length === 0 ? null : ended.reduce((sum, seconds) => sum + seconds, 0) / ended.length };
  });
}
