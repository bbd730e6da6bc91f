import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openSqlite } from "./sqlite.ts";

const scratch = () => join(mkdtempSync(join(tmpdir(), "slipway-sqlite-")), "a.db");

test("a failed write leaves nothing behind", async () => {
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

test("a file that is no database is named in the error", async () => {
  const path = scratch();
  const { writeFileSync } = await import("node:fs");
  writeFileSync(path, "this is text, not a database, and long enough to be read as a header ".repeat(4));
  expect(() => openSqlite(path)).toThrowError(expect.objectContaining({ code: "database_corrupt" }));
});
