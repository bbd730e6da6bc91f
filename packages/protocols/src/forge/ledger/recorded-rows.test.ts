import { describe, expect, test } from "vitest";
import { migrateOwner } from "@slipway/kernel/record/database/migrate";
import { taskQuestions } from "./gates.ts";
import { FORGE_TABLES } from "./tables.ts";
import { openLedgerBench, RUN, type LedgerBench } from "./testing/ledger-bench.ts";

const gatesOf = ({ ledger }: LedgerBench, task_id: string) =>
  ledger.gates(taskQuestions({ run_id: RUN, task_id, round: 1, size: "Standard" }));

async function ledgerWithFailedCheck(kind: "sqlite" | "yaml" = "sqlite"): Promise<LedgerBench> {
  const made = await openLedgerBench(kind);
  for (const task of ["task-01", "task-02"]) {
    await made.check({ name: "types", passed: true, phase: "after", task });
    await made.check({ name: "tests", passed: false, phase: "after", task });
  }
  return made;
}

/** Nothing in the database stops who can write its file: triggers are dropped first. */
const attack = ({ bench }: LedgerBench, sql: string) =>
  bench.sqlite.write((connection) => {
    const triggers = connection.prepare("SELECT name FROM sqlite_master WHERE type = 'trigger'").all();
    connection.exec(triggers.map(({ name }) => `DROP TRIGGER "${String(name)}";`).join("") + sql);
  });

/** The rows are 1 and 2 of task-01, 3 and 4 of task-02. */
const ATTACKS = [
  ["turns a failed check into a passed one", "UPDATE anvil_checks SET passed = 1, exit_code = 0 WHERE id = 2", "changed"],
  ["deletes a failed check", "DELETE FROM anvil_sources WHERE anvil_id = 2; DELETE FROM anvil_checks WHERE id = 2", "missing"],
  ["moves a failed check to another task", "UPDATE anvil_checks SET task_id = 'task-02' WHERE id = 2", "missing"],
  ["moves a failed check to another run", "UPDATE anvil_checks SET run_id = 'other' WHERE id = 2", "missing"],
  [
    "adds a passed check",
    `INSERT INTO anvil_checks SELECT 9, run_id, task_id, phase, 'lint', tool, command, 0, output_snippet, 1, verdict, severity, round, ts
       FROM anvil_checks WHERE id = 1`,
    "invented",
  ],
] as const;

describe.each(ATTACKS)("who %s in the database", (_, sql, reason) => {
  test("gets no decision of the gates of its task", async () => {
    const made = await ledgerWithFailedCheck();
    expect((await gatesOf(made, "task-01")).map(({ passed }) => passed)).toEqual([false, false]);
    await attack(made, sql);
    await expect(gatesOf(made, "task-01")).rejects.toMatchObject({ code: "evidence_tampered", details: { reason } });
    await expect(made.ledger.assertRecorded(RUN)).rejects.toMatchObject({ code: "evidence_tampered", details: { reason } });
  });

  test("gets none from a process that has not read the ledger yet", async () => {
    const made = await ledgerWithFailedCheck();
    await attack(made, sql);
    await expect(gatesOf(made, "task-01")).rejects.toMatchObject({ code: "evidence_tampered" });
  });
});

test("checks that were added since the last decision count in the next one", async () => {
  const made = await ledgerWithFailedCheck();
  await gatesOf(made, "task-01");
  await made.check({ name: "lint", passed: true, phase: "after", task: "task-01" });
  const [sufficient] = await gatesOf(made, "task-01");
  expect(sufficient).toMatchObject({ gate: "verification-sufficient", count: 2 });
});

describe.each([
  [
    "turns a failed check into a passed one",
    "UPDATE forge_yaml_ledgers SET yaml_ledger = replace(yaml_ledger, 'passed: 0', 'passed: 1')",
    "changed",
  ],
  ["deletes the ledger", "DELETE FROM forge_yaml_ledgers", "missing"],
] as const)("who %s of a run that keeps it as YAML", (_, sql, reason) => {
  test("[FOR-137] gets no decision of a gate", async () => {
    const made = await ledgerWithFailedCheck("yaml");
    expect((await gatesOf(made, "task-01")).map(({ passed }) => passed)).toEqual([false, false]);
    await made.ledger.assertRecorded(RUN);
    await attack(made, sql);
    await expect(gatesOf(made, "task-01")).rejects.toMatchObject({ code: "evidence_tampered", details: { reason } });
    await expect(made.ledger.assertRecorded(RUN)).rejects.toMatchObject({ code: "evidence_tampered", details: { reason } });
  });
});

test("a YAML ledger that a former version kept in the row of its run is taken over and bound", async () => {
  const made = await ledgerWithFailedCheck("yaml");
  const { bench, ledger } = made;
  await bench.sqlite.write((connection) =>
    connection.exec(`INSERT INTO forge_runs SELECT 'former', 'former', feature_id, state, forge_yaml_ledgers.yaml_ledger, updated_at
        FROM forge_runs, forge_yaml_ledgers;
      DROP TABLE forge_yaml_ledgers; DELETE FROM schema_version WHERE name = 'forge/forge-yaml-ledgers'`),
  );
  await migrateOwner(bench.db, bench.sqlite.path, FORGE_TABLES);
  const former = taskQuestions({ run_id: "former", task_id: "task-01", round: 1, size: "Standard" });
  expect((await ledger.gates(former)).map(({ count }) => count)).toEqual([1, 1]);
  await attack(made, "UPDATE forge_yaml_ledgers SET yaml_ledger = replace(yaml_ledger, 'passed: 0', 'passed: 1')");
  await expect(ledger.gates(former)).rejects.toMatchObject({ code: "evidence_tampered", details: { reason: "changed" } });
});
