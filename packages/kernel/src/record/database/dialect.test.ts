import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqlite } from "@slipway/durable/sqlite";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { kyselyOn, statement, transactionOn } from "./dialect.ts";
import { databaseSuite } from "./testing/suite.ts";

const scratch = async () => join(mkdtempSync(join(tmpdir(), "slipway-database-")), "a.db");

databaseSuite("SQLite", { create: scratch, module: new URL("./testing/sqlite-backend.ts", import.meta.url) });

test("a query outside its transaction is refused instead of deadlocking", async () => {
  const db = kyselyOn<{ t: { x: number } }>(openSqlite(await scratch()));
  await db.schema.createTable("t").addColumn("x", "integer").execute();
  const outer = db.transaction().execute(async (tx) => {
    await tx.insertInto("t").values({ x: 1 }).execute();
    await db.selectFrom("t").selectAll().execute();
  });
  await expect(outer).rejects.toMatchObject({ code: "internal_error" });
  expect(await db.selectFrom("t").selectAll().execute()).toEqual([]);
  await db.destroy();
});

test("a transaction that SQLite itself has already rolled back reports the first error", async () => {
  const sqlite = openSqlite(await scratch());
  const db = kyselyOn<{ t: { x: number } }>(sqlite);
  const failing = db.transaction().execute(async (tx) => {
    await sql`rollback`.execute(tx);
    throw new Error("the disk was full");
  });
  await expect(failing).rejects.toThrow("the disk was full");
  await sqlite.close();
});

test("the schema can be introspected", async () => {
  const db = kyselyOn<{ t: { x: number } }>(openSqlite(await scratch()));
  await db.schema.createTable("t").addColumn("x", "integer").execute();
  expect((await db.introspection.getTables()).map(({ name }) => name)).toEqual(["t"]);
  await db.destroy();
});

test("a transaction commits completely or not at all, and cannot be used after its end", async () => {
  const sqlite = openSqlite(await scratch());
  const db = kyselyOn<{ t: { x: number } }>(sqlite);
  await db.schema.createTable("t").addColumn("x", "integer").execute();
  const kept = await transactionOn(db, async (tx) => {
    await tx.insertInto("t").values({ x: 1 }).execute();
    await statement(tx, "savepoint here");
    await tx.insertInto("t").values({ x: 2 }).execute();
    await statement(tx, "rollback to savepoint here");
    return tx;
  });
  const failing = transactionOn(db, async (tx) => {
    await tx.insertInto("t").values({ x: 3 }).execute();
    throw new Error("no");
  });
  await expect(failing).rejects.toThrow("no");
  await expect(kept.insertInto("t").values({ x: 4 }).execute()).rejects.toMatchObject({ code: "internal_error" });
  await expect(statement(kept, "DELETE FROM t")).rejects.toMatchObject({ code: "internal_error" });
  expect(await db.selectFrom("t").selectAll().execute()).toEqual([{ x: 1 }]);
  const full = transactionOn(db, async (tx) => {
    await statement(tx, "rollback");
    throw new Error("the disk was full");
  });
  await expect(full).rejects.toThrow("the disk was full");
  await db.destroy();
});

test("a connection that is not shared manages its own transactions", async () => {
  const db = kyselyOn<{ t: { x: number } }>(openSqlite(await scratch()));
  await db.schema.createTable("t").addColumn("x", "integer").execute();
  await transactionOn(db.withoutPlugins(), async (tx) => tx.insertInto("t").values({ x: 1 }).execute());
  expect(await db.selectFrom("t").selectAll().execute()).toEqual([{ x: 1 }]);
  await db.destroy();
});
