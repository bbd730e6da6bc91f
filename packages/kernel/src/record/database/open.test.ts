import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openSqlite } from "@slipway/durable/sqlite";
import { expect, test } from "vitest";
import { MIGRATIONS } from "../../migrations.ts";
import type { Migration } from "./migration.ts";
import { openDatabase } from "../../open-database.ts";
import { assertCurrent, checkedVersion } from "./version.ts";

const scratch = () => join(mkdtempSync(join(tmpdir(), "slipway-open-")), "slipway.db");
const table = (name: string): Migration => ({ name, up: (tx) => tx.schema.createTable(name).addColumn("x", "integer").execute() });

async function tablesOf(path: string): Promise<unknown[]> {
  const database = new DatabaseSync(path);
  const names = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").all();
  database.close();
  return names.map(({ name }) => name);
}

test("a new file gets every table, and a second opening changes nothing", async () => {
  const path = scratch();
  await (await openDatabase({ path })).close();
  const tables = await tablesOf(path);
  expect(tables).toContain("operations");
  const { sqlite, close } = await openDatabase({ path });
  expect(await checkedVersion(sqlite, MIGRATIONS)).toBe(MIGRATIONS.length);
  await close();
  expect(await tablesOf(path)).toEqual(tables);
});

test("migrations are applied in order, each once, and keep the data", async () => {
  const path = scratch();
  await (await openDatabase({ path, migrations: [table("one")] })).close();
  const second = await openDatabase({ path, migrations: [table("one"), table("two")] });
  await second.sqlite.write((database) => database.exec("INSERT INTO one VALUES (1)"));
  await second.close();
  const third = await openDatabase({ path, migrations: [table("one"), table("two"), table("three")] });
  expect(await third.sqlite.exclusive((database) => database.prepare("SELECT x FROM one").all())).toHaveLength(1);
  expect(
    await third.sqlite.exclusive((database) => database.prepare("SELECT name FROM schema_version ORDER BY version").all()),
  ).toMatchObject(["one", "two", "three"].map((name) => ({ name })));
  await third.close();
});

test("a failed migration leaves the database unchanged", async () => {
  const path = scratch();
  await (await openDatabase({ path, migrations: [table("one")] })).close();
  const before = await tablesOf(path);
  const broken: Migration = { name: "broken", up: () => Promise.reject(new Error("no")) };
  await expect(openDatabase({ path, migrations: [table("one"), table("two"), broken] })).rejects.toThrow("no");
  expect(await tablesOf(path)).toEqual(before);
});

test("a database newer than the program is refused with file and versions, and is not changed", async () => {
  const path = scratch();
  await (await openDatabase({ path, migrations: [...MIGRATIONS, table("future")] })).close();
  const before = readFileSync(path);
  for (const readOnly of [true, false]) {
    await expect(openDatabase({ path, readOnly })).rejects.toMatchObject({
      code: "database_newer",
      message: expect.stringContaining(path),
      details: {
        file: path,
        version: MIGRATIONS.length + 1,
        supported: MIGRATIONS.length,
        suggested_next_actions: [expect.stringContaining("newer")],
      },
    });
  }
  expect(readFileSync(path).equals(before)).toBe(true);
});

test("a database with unknown migrations is refused as well", async () => {
  const path = scratch();
  await (await openDatabase({ path, migrations: [table("elsewhere")] })).close();
  await expect(openDatabase({ path, migrations: [table("one"), table("two")] })).rejects.toMatchObject({ code: "database_newer" });
});

test("read-only opening reads, refuses to write and refuses an old schema", async () => {
  const path = scratch();
  await expect(openDatabase({ path, readOnly: true })).rejects.toMatchObject({ code: "database_read_only", details: { file: path } });
  expect(existsSync(path)).toBe(false);
  await (await openDatabase({ path })).close();
  const { db, close } = await openDatabase({ path, readOnly: true });
  expect(await db.selectFrom("operations").selectAll().execute()).toEqual([]);
  await expect(db.deleteFrom("operations").execute()).rejects.toMatchObject({ code: "database_read_only" });
  await close();
  const old = scratch();
  await (await openDatabase({ path: old, migrations: [] })).close();
  await expect(openDatabase({ path: old, readOnly: true })).rejects.toMatchObject({
    code: "database_read_only",
    message: expect.stringContaining("schema version 0"),
  });
});

test("the version can be checked without Kysely", async () => {
  const path = scratch();
  await (await openDatabase({ path })).close();
  const sqlite = openSqlite(path, { readOnly: true });
  await assertCurrent(sqlite, MIGRATIONS);
  await sqlite.close();
});

test("a file without write permission", async () => {
  const path = scratch();
  await (await openDatabase({ path })).close();
  chmodSync(path, 0o444);
  const attempt = async () => {
    const { db, close } = await openDatabase({ path });
    await db.deleteFrom("operations").execute().finally(close);
  };
  // Root may write any file.
  if (process.getuid?.() === 0) await expect(attempt()).resolves.toBeUndefined();
  else await expect(attempt()).rejects.toMatchObject({ code: "database_read_only", details: { file: path } });
});

test("a locked file and a damaged file are named with a next action", async () => {
  const path = scratch();
  await (await openDatabase({ path })).close();
  const holder = new DatabaseSync(path);
  holder.exec("BEGIN IMMEDIATE");
  const { db, close } = await openDatabase({ path, busyTimeoutMs: 20 });
  const writing = db.deleteFrom("operations").execute();
  await expect(writing).rejects.toMatchObject({
    code: "database_locked",
    details: { file: path, retryable: true, suggested_next_actions: [expect.any(String)] },
  });
  holder.exec("ROLLBACK");
  await db.deleteFrom("operations").execute();
  await close();
  holder.close();
  writeFileSync(path, Buffer.alloc(8192, "not a database"));
  await expect(openDatabase({ path })).rejects.toMatchObject({ code: "database_corrupt", details: { file: path } });
});

test("several processes may open a new file at the same time", async () => {
  const path = scratch();
  const script = `const { openDatabase } = await import(process.argv[1]); await (await openDatabase({ path: process.argv[2] })).close();`;
  const module = new URL("../../open-database.ts", import.meta.url).href;
  const children = Array.from({ length: 6 }, () =>
    spawn(process.execPath, ["--conditions=slipway-source", "--input-type=module", "-e", script, module, path], {
      stdio: ["ignore", "ignore", "inherit"],
    }),
  );
  const codes = await Promise.all(children.map(async (child) => (await once(child, "exit"))[0] as number));
  expect(codes).toEqual(Array(6).fill(0));
  const { sqlite, close } = await openDatabase({ path });
  expect(await checkedVersion(sqlite, MIGRATIONS)).toBe(MIGRATIONS.length);
  await close();
});
