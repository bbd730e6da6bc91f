import { DatabaseSync } from "node:sqlite";
import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import { LEDGER_INDEXES, LEDGER_TABLES } from "./ddl.ts";
import { openLedgerBench, RUN } from "./testing/ledger-bench.ts";

const ROW = {
  run_id: RUN,
  task_id: "task-01",
  phase: "after",
  check_name: "build",
  tool: "sh",
  command: "sh build",
  exit_code: 0,
  output_snippet: "built",
  passed: 1,
  verdict: null,
  severity: null,
  round: 1,
} as const;

/** The exported file's tables, without what Slipway adds in its own database. */
function exported() {
  const database = new DatabaseSync(":memory:");
  for (const text of [...LEDGER_TABLES, ...LEDGER_INDEXES]) database.exec(text);
  return database;
}

function insert(database: DatabaseSync, row: Readonly<Record<string, string | number | null>>): void {
  const columns = Object.keys(row);
  database
    .prepare(`INSERT INTO anvil_checks (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`)
    .run(...Object.values(row));
}

const columnsOf = (database: DatabaseSync, table: string) =>
  database
    .prepare(`SELECT name, type, "notnull" AS required, dflt_value AS usual, pk FROM pragma_table_info('${table}')`)
    .all()
    .map(({ name, type, required, usual, pk }) =>
      [name, type, required === 1 ? "NOT NULL" : "", usual, pk === 1 ? "KEY" : ""].join(" ").trim(),
    );

test("[FOR-070] anvil_checks has the columns of the design", () => {
  const database = exported();
  expect(columnsOf(database, "anvil_checks").map((column) => column.replaceAll(/ +/g, " "))).toEqual([
    "id INTEGER KEY",
    "run_id TEXT NOT NULL",
    "task_id TEXT NOT NULL",
    "phase TEXT NOT NULL",
    "check_name TEXT NOT NULL",
    "tool TEXT NOT NULL",
    "command TEXT",
    "exit_code INTEGER",
    "output_snippet TEXT",
    "passed INTEGER NOT NULL",
    "verdict TEXT",
    "severity TEXT",
    "round INTEGER NOT NULL 1",
    "ts DATETIME CURRENT_TIMESTAMP",
  ]);
  insert(database, { ...ROW, id: 7 });
  database.exec("DELETE FROM anvil_checks");
  insert(database, ROW);
  expect(database.prepare("SELECT id FROM anvil_checks").get()).toEqual({ id: 8 });
});

test("[FOR-074] pipeline_telemetry has the columns of the design, and refuses another status", () => {
  const database = exported();
  expect(columnsOf(database, "pipeline_telemetry").map((column) => column.replaceAll(/ +/g, " "))).toEqual([
    "id INTEGER KEY",
    "run_id TEXT NOT NULL",
    "step TEXT NOT NULL",
    "agent TEXT NOT NULL",
    "instance TEXT",
    "started_at TEXT NOT NULL",
    "completed_at TEXT",
    "status TEXT",
    "dispatch_count INTEGER 1",
    "retry_count INTEGER 0",
    "notes TEXT",
    "ts DATETIME CURRENT_TIMESTAMP",
  ]);
  const add = (status: string) =>
    database
      .prepare("INSERT INTO pipeline_telemetry (run_id, step, agent, started_at, status) VALUES ('r', '1', 'spec', 't', ?)")
      .run(status);
  for (const status of ["DONE", "NEEDS_REVISION", "ERROR", "running"]) add(status);
  expect(() => add("PASSED")).toThrow("CHECK constraint failed");
});

describe("[FOR-071] anvil_checks refuses", () => {
  test.each([
    ["another phase", { phase: "before" }],
    ["a result other than 0 and 1", { passed: 2 }],
    ["no result", { passed: null }],
    ["another verdict", { verdict: "APPROVE" }],
    ["another severity", { severity: "high" }],
  ])("%s", (_what, wrong) => {
    const database = exported();
    insert(database, ROW);
    expect(() => insert(database, { ...ROW, ...wrong })).toThrow("constraint failed");
  });

  test("no verdict and no severity of the design", () => {
    const database = exported();
    for (const verdict of ["approve", "needs_revision", "blocker", null]) insert(database, { ...ROW, verdict });
    for (const severity of ["Blocker", "Critical", "Major", "Minor", null]) insert(database, { ...ROW, severity });
    for (const phase of ["baseline", "after", "review"]) insert(database, { ...ROW, phase });
    expect(database.prepare("SELECT COUNT(*) AS count FROM anvil_checks").get()).toEqual({ count: 12 });
  });
});

test("[FOR-072] an output of 500 characters is accepted, a longer one refused", () => {
  const database = exported();
  insert(database, { ...ROW, output_snippet: "é".repeat(500) });
  expect(() => insert(database, { ...ROW, output_snippet: "é".repeat(501) })).toThrow("CHECK constraint failed");
});

test("[FOR-073] the three indexes cover task and phase, run and round, and step", () => {
  const database = exported();
  const columns = (index: string) =>
    database
      .prepare(`SELECT name FROM pragma_index_info('${index}')`)
      .all()
      .map(({ name }) => name);
  const tables = database.prepare("SELECT name, tbl_name FROM sqlite_master WHERE type = 'index' ORDER BY name").all();
  expect(tables).toEqual([
    { name: "idx_anvil_run_round", tbl_name: "anvil_checks" },
    { name: "idx_anvil_task_phase", tbl_name: "anvil_checks" },
    { name: "idx_telemetry_step", tbl_name: "pipeline_telemetry" },
  ]);
  expect(columns("idx_anvil_task_phase")).toEqual(["task_id", "phase"]);
  expect(columns("idx_anvil_run_round")).toEqual(["run_id", "round"]);
  expect(columns("idx_telemetry_step")).toEqual(["step"]);
});

test("[FOR-068] the statements may run again on the same file", () => {
  const database = exported();
  insert(database, ROW);
  for (const text of [...LEDGER_TABLES, ...LEDGER_INDEXES]) database.exec(text);
  expect(database.prepare("SELECT COUNT(*) AS count FROM anvil_checks").get()).toEqual({ count: 1 });
});

describe("[FOR-078] rows of anvil_checks in Slipway's database", () => {
  test.each([
    ["changed", "UPDATE anvil_checks SET passed = 1"],
    ["deleted", "DELETE FROM anvil_checks"],
    ["replaced", "INSERT OR REPLACE INTO anvil_checks SELECT * FROM anvil_checks LIMIT 1"],
  ])("cannot be %s", async (_what, text) => {
    const { bench, check, ledger } = await openLedgerBench();
    await check({ name: "build", passed: false, phase: "after" });
    const before = await ledger.rows(RUN);
    await expect(sql.raw(text).execute(bench.db)).rejects.toThrow("append-only");
    expect(await ledger.rows(RUN)).toEqual(before);
  });

  test("a review row cannot be replaced by way of its unique index", async () => {
    const { bench, verdict, ledger } = await openLedgerBench();
    await verdict({ reviewer: "security", verdict: "blocker" });
    const columns = "run_id, task_id, phase, check_name, tool, passed, verdict, round";
    const values = "run_id, task_id, phase, check_name, tool, 1, 'approve', round";
    await expect(
      sql.raw(`INSERT OR REPLACE INTO anvil_checks (${columns}) SELECT ${values} FROM anvil_checks`).execute(bench.db),
    ).rejects.toThrow("has this verdict already");
    expect((await ledger.rows(RUN)).checks.map(({ verdict }) => verdict)).toEqual(["blocker"]);
  });
});

test("[FOR-077] a second review row of the same reviewer and round is refused by the table", async () => {
  const { bench, verdict } = await openLedgerBench();
  await verdict({ reviewer: "security", verdict: "approve" });
  const [row] = await bench.db.selectFrom("anvil_checks").selectAll().execute();
  const { id: _id, ...again } = row!;
  await expect(bench.db.insertInto("anvil_checks").values(again).execute()).rejects.toThrow("has this verdict already");
  await bench.db
    .insertInto("anvil_checks")
    .values({ ...again, round: 2 })
    .execute();
});
