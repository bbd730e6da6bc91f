import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { preparedQuery, preparedQueryWith } from "./prepared-query.ts";
import { openDatabase } from "../../open-database.ts";
import type { Database } from "./open.ts";

let folder: string;
let database: Database;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "slipway-fixed-"));
  database = await openDatabase({ path: join(folder, "slipway.db") });
});
afterEach(async () => {
  await database.close();
  rmSync(folder, { recursive: true, force: true });
});

test("is compiled once, binds the parameters of each call, and sees its transaction", async () => {
  let built = 0;
  const between = preparedQuery((db, least: number, name: string, most: number) => {
    built++;
    return db.selectFrom("signals").select(["value", "at"]).where("at", "<=", most).where("name", "=", name).where("at", ">=", least);
  });
  const add = (at: number, name: string) => ({ run_id: `r${at}`, name, value: `v${at}`, sent_by: "test", at, consumed_at: null });
  await database.db
    .insertInto("signals")
    .values([add(1, "a"), add(2, "a"), add(3, "b"), add(4, "a")])
    .execute();
  expect(await between(database.db, 2, "a", 4)).toEqual([
    { value: "v2", at: 2 },
    { value: "v4", at: 4 },
  ]);
  expect(await between(database.db, 1, "b", 9)).toEqual([{ value: "v3", at: 3 }]);
  await database.db.transaction().execute(async (tx) => {
    await tx.insertInto("signals").values(add(5, "b")).execute();
    expect(await between(tx, 4, "b", 9)).toEqual([{ value: "v5", at: 5 }]);
  });
  expect(built).toBe(1);
});

test("rows are inserted by field name, in any order, and constants are not taken for parameters", async () => {
  let built = 0;
  const add = preparedQueryWith((db, row: { run_id: string; name: string; value: string; at: number; consumed_at: number | null }) => {
    built++;
    return db
      .insertInto("signals")
      .values({ ...row, sent_by: "test" })
      .returning(["run_id", "name", "sent_by", "consumed_at"]);
  });
  expect(await add(database.db, { run_id: "r", name: "a", value: "v", at: 1, consumed_at: null })).toEqual([
    { run_id: "r", name: "a", sent_by: "test", consumed_at: null },
  ]);
  expect(await add(database.db, { consumed_at: 7, at: 2, value: "w", name: "b", run_id: "\0parameter name" })).toEqual([
    { run_id: "\0parameter name", name: "b", sent_by: "test", consumed_at: 7 },
  ]);
  expect(built).toBe(1);
});
