import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openDatabase } from "../../open-database.ts";
import type { Database } from "./open.ts";
import { unhurriedTransaction } from "./relaxed.ts";

let folder: string;
let database: Database;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "slipway-unhurried-"));
  database = await openDatabase({ path: join(folder, "slipway.db") });
});
afterEach(async () => {
  await database.close();
  rmSync(folder, { recursive: true, force: true });
});

const level = async (db: Parameters<typeof unhurriedTransaction>[0]) => (await sql`PRAGMA synchronous`.execute(db)).rows;
const signal = { run_id: "r", name: "n", value: "v", sent_by: "test", at: 1, consumed_at: null };
const signals = async () => (await database.db.selectFrom("signals").select("run_id").execute()).length;

test("a transaction that does not wait for the disk is one all the same, and the next one waits again", async () => {
  await unhurriedTransaction(database.db, async (tx) => {
    expect(await level(tx)).toEqual([{ synchronous: 1 }]);
    await tx.insertInto("signals").values(signal).execute();
  });
  expect(await signals()).toBe(1);
  expect(await level(database.db)).toEqual([{ synchronous: 2 }]);
  const failing = unhurriedTransaction(database.db, async (tx) => {
    await tx
      .insertInto("signals")
      .values({ ...signal, run_id: "s" })
      .execute();
    throw new Error("no");
  });
  await expect(failing).rejects.toThrow("no");
  expect(await signals()).toBe(1);
  expect(await level(database.db)).toEqual([{ synchronous: 2 }]);
});
