import { DatabaseSync } from "node:sqlite";
import { parse } from "yaml";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { writeDatabaseFile, type DatabaseContent } from "@slipway/kernel/record/database/database-file";
import { exportLedger } from "./export.ts";
import { filledSql, GATES, gateValues, type GateQuestion } from "./gates.ts";
import { openLedgerBench, RUN, type LedgerBench } from "./testing/ledger-bench.ts";
import { readYamlLedger } from "./yaml-document.ts";

async function written(made: LedgerBench, content: DatabaseContent): Promise<DatabaseSync> {
  const path = join(made.bench.folder, "verification-ledger.db");
  await writeDatabaseFile(path, content);
  const database = new DatabaseSync(path, { readOnly: true });
  onTestFinished(() => database.close());
  return database;
}

async function fill(made: LedgerBench): Promise<void> {
  await made.check({ name: "tests", passed: true, phase: "baseline" });
  await made.check({ name: "tests", passed: false, phase: "after", output: "it's broken" });
  await made.check({ name: "tests", passed: true, phase: "after", round: 2 });
  await made.ledger.recordMarker(made.call(), {
    run_id: RUN,
    task_id: "task-01",
    round: 2,
    marker: "tier3-infeasible",
    explanation: "no entry",
  });
  await made.verdict({ reviewer: "security", verdict: "needs_revision", findings: { major: 2 } });
  const key = { run_id: RUN, step: "5", agent: "implementer", instance: "task-01" };
  await made.ledger.beginDispatch(made.call(), key);
}

test("[FOR-068][FOR-069] the exported file has both tables with every row of the run, and its gates give the run's answers", async () => {
  const made = await openLedgerBench();
  await fill(made);
  const exported = (await exportLedger(made.ledger, RUN)).database!;
  const database = await written(made, exported);
  expect(database.prepare("PRAGMA journal_mode").get()).toEqual({ journal_mode: "wal" });
  const rows = await made.ledger.rows(RUN);
  expect(database.prepare("SELECT * FROM anvil_checks ORDER BY id").all()).toEqual(rows.checks);
  expect(database.prepare("SELECT * FROM pipeline_telemetry ORDER BY id").all()).toEqual(rows.telemetry);
  const questions: GateQuestion[] = [1, 2].flatMap((round) => [
    { gate: "verification-sufficient", run_id: RUN, task_id: "task-01", round, size: "Standard" },
    { gate: "no-failed-check", run_id: RUN, task_id: "task-01", round },
  ]);
  for (const question of questions) {
    const { count } = await made.ledger.gate(question);
    expect(database.prepare(filledSql(GATES[question.gate].sql, gateValues(question))).get()).toEqual({ count });
  }
});

test("[FOR-129] verification-ledger.yaml is a summary per task and review, in a run whose ledger is SQLite", async () => {
  const made = await openLedgerBench();
  await fill(made);
  expect(parse((await exportLedger(made.ledger, RUN)).yaml)).toEqual({
    verification_ledger: {
      run_id: RUN,
      dispatches: 1,
      tasks: [
        {
          task_id: "task-01",
          baseline: { total_checks: 1, passed: 1, failed: 0 },
          rounds: [
            { round: 1, total_checks: 1, passed: 0, failed: 1, failed_checks: ["tests"], markers: [] },
            { round: 2, total_checks: 1, passed: 1, failed: 0, failed_checks: [], markers: ["tier3-infeasible"] },
          ],
        },
      ],
      reviews: [
        {
          task_id: "dark-mode-design-review",
          round: 1,
          verdicts: [{ check_name: "review-design-security", model: "model-security", verdict: "needs_revision", severity: "Major" }],
        },
      ],
    },
  });
});

test("[FOR-129][FOR-137] without SQLite there is no database file, and verification-ledger.yaml has every row", async () => {
  const made = await openLedgerBench("yaml");
  await fill(made);
  const { database, yaml } = await exportLedger(made.ledger, RUN);
  expect(database).toBeNull();
  const { anvil_checks, pipeline_telemetry } = readYamlLedger(yaml);
  const rows = await made.ledger.rows(RUN);
  expect({ checks: anvil_checks.map(({ source: _source, ...row }) => row), telemetry: pipeline_telemetry }).toEqual(rows);
});

test("a YAML ledger that does not fit its schema names the field", () => {
  expect(() => readYamlLedger("ledger: { run_id: x, anvil_checks: [{ id: 1 }], pipeline_telemetry: [] }")).toThrow(
    "verification-ledger.yaml: ledger.anvil_checks.0.run_id",
  );
});
