import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openSqlite } from "./sqlite.ts";

const scratch = () => join(mkdtempSync(join(tmpdir(), "slipway-sqlite-")), "a.db");

test("a failed write is rolled back", async () => {
  const sqlite = openSqlite(scratch());
  await sqlite.write((database) => database.exec("CREATE TABLE t (x)"));
  const failing = sqlite.write((database) => {
    database.exec("INSERT INTO t VALUES (1)");
    throw new Error("no");
  });
  await expect(failing).rejects.toThrow("no");
  expect(await sqlite.exclusive(() => sqlite.prepare("SELECT count(*) AS n FROM t").get())).toEqual({ n: 0 });
  await sqlite.close();
});

test("a database call inside a transaction is refused instead of hanging", async () => {
  const sqlite = openSqlite(scratch());
  await expect(sqlite.exclusive(() => sqlite.exclusive(() => 1))).rejects.toMatchObject({ code: "internal_error" });
  await sqlite.close();
});

test("a file that is not a database is named in the error", () => {
  const path = scratch();
  writeFileSync(path, "this is text, not a database, and long enough to be read as a header ".repeat(4));
  expect(() => openSqlite(path)).toThrowError(expect.objectContaining({ code: "database_corrupt" }));
});

test("calls take turns in order", async () => {
  const sqlite = openSqlite(scratch());
  const order: string[] = [];
  const turn = (name: string, ms: number) =>
    sqlite.exclusive(async () => {
      order.push(`${name} begins`);
      await new Promise((resolve) => setTimeout(resolve, ms));
      order.push(`${name} ends`);
    });
  await Promise.all([turn("a", 5), turn("b", 1), turn("c", 0)]);
  expect(order).toEqual(["a begins", "a ends", "b begins", "b ends", "c begins", "c ends"]);
  await sqlite.close();
});

test("a failed call does not block the next one", async () => {
  const sqlite = openSqlite(scratch());
  const failing = sqlite.exclusive(() => Promise.reject(new Error("no")));
  const next = sqlite.exclusive(() => "next");
  await expect(failing).rejects.toThrow("no");
  expect(await next).toBe("next");
  await sqlite.close();
});

test("an SQL error is passed on unchanged", async () => {
  const sqlite = openSqlite(scratch());
  await expect(sqlite.write((database) => database.exec("SELECT x FROM absent"))).rejects.toThrow("no such table");
  const rolledBack = sqlite.write((database) => {
    database.exec("ROLLBACK");
    throw new Error("already undone");
  });
  await expect(rolledBack).rejects.toThrow("already undone");
  await sqlite.close();
});

test("a missing folder is named in the error", () => {
  expect(() => openSqlite("/nonexistent/a.db")).toThrowError(expect.objectContaining({ code: "database_read_only" }));
});
