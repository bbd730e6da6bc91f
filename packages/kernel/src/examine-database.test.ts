import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { workflow } from "@slipway/durable/ctx";
import { openEngine } from "@slipway/durable/engine";
import { openSqlite } from "@slipway/durable/sqlite";
import { expect, onTestFinished, test } from "vitest";
import { examineDatabase } from "./examine-database.ts";
import { layoutAt } from "./host/layout.ts";
import { MIGRATIONS } from "./migrations.ts";
import { openRecords } from "./open-records.ts";
import { journalSize, keepHeads, streamNames, verifyJournal } from "./record/journal/heads.ts";
import { recordedRun } from "./record/runs.ts";

const MOST = 100;

function scratch() {
  const root = mkdtempSync(join(tmpdir(), "slipway-examine-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  return { layout: layoutAt(root), stateHome: join(root, "state") };
}

/** A database with one run that has ended. */
async function withRun() {
  const { layout, stateHome } = scratch();
  const records = await openRecords({ layout });
  onTestFinished(() => records.close());
  const { database, objects, clock, ids, inbox } = records;
  const one = workflow("one", "1", async () => null);
  const engine = await openEngine({ sqlite: database.sqlite, blobs: objects, clock, ids, inbox, workflows: [one], kernel: null });
  await engine.drive(await engine.start("one", {}, { runId: "r1" }));
  await records.database.db.transaction().execute((tx) => records.journal.append(tx, { kind: "note", name: "n", at: 1, payload: {} }));
  await keepHeads(stateHome, records);
  return { layout, stateHome, records };
}

test("the schema, the number of events, and a verdict for each stream; a long journal is not verified", async () => {
  const { layout, stateHome, records } = await withRun();
  const { verdicts, ...state } = await examineDatabase(layout.database, stateHome, MOST);
  const { events, head } = await journalSize(records);
  expect(state).toEqual({ version: MIGRATIONS.length, newest: MIGRATIONS.length, events });
  expect([...(verdicts ?? [])].map(([stream, { ok }]) => [stream, ok])).toEqual([
    ["repository", true],
    ["r1", true],
  ]);
  expect(await streamNames(records)).toEqual(["r1", "repository"]);
  expect((await verifyJournal(stateHome, records)).get("repository")).toMatchObject({ ok: true, head: { hash: head } });
  expect((await examineDatabase(layout.database, stateHome, events - 1)).verdicts).toBeNull();
});

test("a database that an older program has left: its version, and no journal", async () => {
  const { layout, stateHome } = scratch();
  const file = join(layout.root, "old.db");
  const sqlite = openSqlite(file);
  await sqlite.close();
  expect(await examineDatabase(file, stateHome, MOST)).toEqual({ version: 0, newest: MIGRATIONS.length, events: null, verdicts: null });
});

test("a recorded run is read without an engine; null where there is none", async () => {
  const { records } = await withRun();
  expect(await recordedRun(records, "r1")).toMatchObject({ runId: "r1", workflow: "one", status: "completed" });
  expect(await recordedRun(records, "r2")).toBeNull();
});
