import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openDatabase } from "../../open-database.ts";
import type { Database } from "./open.ts";
import { transactionOn } from "./dialect.ts";
import type { Db, Tx } from "./tables.ts";

let folder: string;
let database: Database;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "slipway-relaxed-"));
  database = await openDatabase({ path: join(folder, "slipway.db") });
});
afterEach(async () => {
  await database.close();
  rmSync(folder, { recursive: true, force: true });
});

const level = async (db: Db) => (await sql`PRAGMA synchronous`.execute(db)).rows;
const signal = { run_id: "r", name: "n", value: "v", sent_by: "test", at: 1, consumed_at: null };
const signals = async () => (await database.db.selectFrom("signals").select("run_id").execute()).length;

test("a transaction without fsync is atomic, and the next one syncs again", async () => {
  const inserting = async (tx: Tx) => {
    expect(await level(tx)).toEqual([{ synchronous: 1 }]);
    await tx.insertInto("signals").values(signal).execute();
  };
  await transactionOn(database.db, inserting, "relaxed");
  expect(await signals()).toBe(1);
  expect(await level(database.db)).toEqual([{ synchronous: 2 }]);
  const failing = async (tx: Tx) => {
    await tx
      .insertInto("signals")
      .values({ ...signal, run_id: "s" })
      .execute();
    throw new Error("no");
  };
  await expect(transactionOn(database.db, failing, "relaxed")).rejects.toThrow("no");
  expect(await signals()).toBe(1);
  expect(await level(database.db)).toEqual([{ synchronous: 2 }]);
});
