import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { probeDatabaseFile, writeDatabaseFile } from "./database-file.ts";

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "slipway-database-file-"));
  path = join(folder, "ledger.db");
});

const TABLE = "CREATE TABLE checks (id INTEGER PRIMARY KEY, name TEXT NOT NULL, passed INTEGER, ratio REAL, anything)";
const row = (values: Record<string, string | number | null>, table = "checks") => ({ table, values });

function query(sql: string): unknown[] {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    return database
      .prepare(sql)
      .all()
      .map((found) => ({ ...found }));
  } finally {
    database.close();
  }
}

describe("writing a database file", () => {
  test("makes one file in WAL mode with the statements and rows in order", async () => {
    await writeDatabaseFile(path, {
      statements: [TABLE, "CREATE INDEX by_name ON checks (name)", "PRAGMA user_version = 7"],
      rows: [
        row({ id: 2, name: "it's; DROP TABLE checks", passed: 1, ratio: 0.5, anything: 3 }),
        row({ name: "ü", passed: null, anything: "x" }),
      ],
    });
    expect(readdirSync(folder)).toEqual(["ledger.db"]);
    // Bytes 18 and 19 of the header are 2 in WAL mode.
    expect([...readFileSync(path).subarray(18, 20)]).toEqual([2, 2]);
    expect(query("SELECT *, typeof(anything) AS type FROM checks ORDER BY id")).toEqual([
      { id: 2, name: "it's; DROP TABLE checks", passed: 1, ratio: 0.5, anything: 3, type: "integer" },
      { id: 3, name: "ü", passed: null, ratio: null, anything: "x", type: "text" },
    ]);
    expect(query("PRAGMA integrity_check")).toEqual([{ integrity_check: "ok" }]);
    expect(query("PRAGMA user_version")).toEqual([{ user_version: 7 }]);
  });

  test("creates the folder, and quotes the names of tables and columns", async () => {
    path = join(folder, "runs/r1/ledger.db");
    await writeDatabaseFile(path, {
      statements: ['CREATE TABLE "a ""table""" ("a column" TEXT, "group" TEXT)'],
      rows: [row({ "a column": "x", group: "y" }, 'a "table"')],
    });
    expect(query('SELECT * FROM "a ""table"""')).toEqual([{ "a column": "x", group: "y" }]);
  });

  test("replaces an old file as a whole, and the log that SQLite left beside it", async () => {
    const database = new DatabaseSync(path);
    database.exec("PRAGMA journal_mode = WAL; CREATE TABLE old (value TEXT); INSERT INTO old VALUES ('x')");
    expect(existsSync(`${path}-wal`)).toBe(true);
    await writeDatabaseFile(path, { statements: [TABLE], rows: [row({ name: "new" })] });
    expect(query("SELECT name FROM sqlite_master WHERE type = 'table'")).toEqual([{ name: "checks" }]);
    expect(query("SELECT name FROM checks")).toEqual([{ name: "new" }]);
    database.close();
  });

  test.each([
    ["a statement", { statements: ["CREATE TABEL x"], rows: [] }],
    ["a row", { statements: [TABLE], rows: [row({ name: "fine" }), row({ name: null })] }],
    ["an unknown table", { statements: [TABLE], rows: [row({ name: "x" }, "nothing")] }],
  ])("that fails at %s keeps the old file and leaves nothing behind", async (_what, content) => {
    await writeDatabaseFile(path, { statements: [TABLE], rows: [row({ name: "old" })] });
    await expect(writeDatabaseFile(path, content)).rejects.toThrow();
    expect(readdirSync(folder)).toEqual(["ledger.db"]);
    expect(query("SELECT name FROM checks")).toEqual([{ name: "old" }]);
  });

  test("says so if the place cannot be written", async () => {
    writeFileSync(join(folder, "file"), "");
    await expect(writeDatabaseFile(join(folder, "file/ledger.db"), { statements: [], rows: [] })).rejects.toMatchObject({
      code: "database_read_only",
    });
    mkdirSync(path);
    await expect(writeDatabaseFile(path, { statements: [], rows: [] })).rejects.toMatchObject({ code: "io_error" });
    expect(readdirSync(folder).toSorted()).toEqual(["file", "ledger.db"]);
  });
});

describe("probing the place of a database file", () => {
  test("finds nothing wrong, and leaves nothing behind", async () => {
    const before = statSync(folder).ino;
    expect([await probeDatabaseFile(path), await probeDatabaseFile(join(folder, "a/b/ledger.db"))]).toEqual([null, null]);
    expect(readdirSync(folder)).toEqual([]);
    expect(statSync(folder).ino).toBe(before);
  });

  test("leaves an existing file as it is", async () => {
    writeFileSync(path, "not a database");
    expect(await probeDatabaseFile(path)).toBeNull();
    expect(readFileSync(path, "utf8")).toBe("not a database");
    expect(readdirSync(folder)).toEqual(["ledger.db"]);
  });

  test("says that a folder, or a link to one, is in its place", async () => {
    mkdirSync(join(folder, "taken"));
    symlinkSync(join(folder, "taken"), join(folder, "link"));
    expect(await probeDatabaseFile(join(folder, "taken"))).toContain("is not a file");
    expect(await probeDatabaseFile(join(folder, "link"))).toContain("is not a file");
  });

  test("says that a part of the path is a file", async () => {
    writeFileSync(join(folder, "file"), "");
    expect(await probeDatabaseFile(join(folder, "file/a/ledger.db"))).toContain("a part of the path is a file");
  });

  test.skipIf(process.getuid?.() === 0)("says that the folder cannot be written", async () => {
    chmodSync(folder, 0o500);
    expect(await probeDatabaseFile(path)).toMatch(/unable to open|readonly/);
    chmodSync(folder, 0o700);
  });

  test.skipIf(process.platform !== "linux")("says that the folder cannot hold a file", async () => {
    expect(await probeDatabaseFile("/proc/self/ledger.db")).toMatch(/unable to open/);
  });
});
