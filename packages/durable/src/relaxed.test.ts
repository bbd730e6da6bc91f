import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { workflow, type Workflow } from "./ctx.ts";
import { openEngine } from "./engine.ts";
import { systemClock, systemIds } from "./environment.ts";
import { journalOnDisk, settleJournal, verifyStream } from "./journal.ts";
import { openSqlite, type Sqlite } from "./sqlite.ts";
import { memoryBlobs, memoryInbox } from "./testing/memory.ts";

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "slipway-relaxed-"))));
afterEach(() => rmSync(folder, { recursive: true }));

const level = (sqlite: Sqlite) => sqlite.exclusive((database) => database.prepare("PRAGMA synchronous").get());
const [FULL, NORMAL] = [{ synchronous: 2 }, { synchronous: 1 }];

test("only relaxed work skips the fsync, also if it fails", async () => {
  const sqlite = openSqlite(join(folder, "a.db"));
  await sqlite.write((database) => database.exec("CREATE TABLE t (x UNIQUE)"));
  const insert = () =>
    sqlite.exclusive(
      (database) => [database.prepare("PRAGMA synchronous").get(), sqlite.prepare("INSERT INTO t VALUES (1)").run()],
      "relaxed",
    );
  expect(await insert()).toMatchObject([NORMAL, { changes: 1 }]);
  expect(await level(sqlite)).toEqual(FULL);
  await expect(insert()).rejects.toThrow("UNIQUE");
  expect(await level(sqlite)).toEqual(FULL);
  await sqlite.close();
});

/** Each step counts its executions in the journal's database, like an operation of the kernel. */
function counted(path: string) {
  const sqlite = openSqlite(path);
  const levels: unknown[] = [];
  const blobs = memoryBlobs();
  const flow = workflow<null, number[], null>("flow", "1", async (ctx) => {
    const done: number[] = [];
    for (let number = 1; number <= 6; number++) {
      done.push(
        await ctx.step(
          `step:${number}`,
          async () => {
            await sqlite.exclusive((database) => {
              levels.push(database.prepare("PRAGMA synchronous").get());
              database.prepare("INSERT INTO did (name) VALUES (?) ON CONFLICT DO NOTHING").run(number);
            }, "relaxed");
            return number;
          },
          { durability: number === 3 ? "synced" : "relaxed" },
        ),
      );
    }
    return done;
  });
  const host = { host: "test", pid: 1, startedAt: "1", isDead: () => true };
  const open = (pid: number) =>
    openEngine({
      sqlite,
      blobs,
      inbox: memoryInbox(),
      clock: systemClock,
      ids: systemIds,
      workflows: [flow],
      kernel: null,
      host: { ...host, pid },
    });
  return { sqlite, open };
}

const HEADER = 32;

test("a power cut loses only the end of the journal, and the run continues to the same outcome", async () => {
  const path = join(folder, "whole.db");
  const whole = counted(path);
  await whole.sqlite.write((database) => database.exec("CREATE TABLE did (name INTEGER PRIMARY KEY)"));
  const engine = await whole.open(1);
  await engine.start("flow", null, { runId: "run" });
  await whole.sqlite.exclusive((database) => database.exec("PRAGMA wal_checkpoint(TRUNCATE)"));
  expect(await engine.drive("run")).toMatchObject({ status: "completed" });
  copyFileSync(path, join(folder, "cut.db"));
  const log = readFileSync(`${path}-wal`);
  const frame = 24 + log.readUInt32BE(8);
  const lengths = new Set<number>();
  for (let size = HEADER; size <= log.length; size += frame) {
    const copy = join(folder, `cut-${size}.db`);
    copyFileSync(path, copy);
    copyFileSync(`${path}-wal`, `${copy}-wal`);
    truncateSync(`${copy}-wal`, size);
    const left = counted(copy);
    const verdict = await verifyStream(left.sqlite, "run");
    expect(verdict).toMatchObject({ ok: true });
    lengths.add(verdict.ok ? verdict.events : 0);
    const again = await left.open(2);
    expect(await again.drive("run")).toMatchObject({ status: "completed", value: [1, 2, 3, 4, 5, 6] });
    expect(await left.sqlite.exclusive((database) => database.prepare("SELECT count(*) AS n FROM did").get())).toEqual({ n: 6 });
    await again.close();
    await left.sqlite.close();
  }
  // The start, six steps and the end: each was the last surviving event once.
  expect([...lengths].toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  await engine.close();
  await whole.sqlite.close();
});

test("settleJournal syncs the journal without changing it, and leaves no file open", async () => {
  const { sqlite, open } = counted(join(folder, "a.db"));
  const engine = await open(1);
  await engine.start("flow", null, { runId: "run" });
  const log = join(folder, "a.db-wal");
  const before = readFileSync(log);
  // A long run syncs thousands of times.
  const openFiles = () => (existsSync("/proc/self/fd") ? readdirSync("/proc/self/fd").length : 0);
  const atFirst = openFiles();
  settleJournal(sqlite);
  await journalOnDisk(sqlite);
  expect(openFiles()).toBe(atFirst);
  expect(readFileSync(log)).toEqual(before);
  await engine.close();
  await sqlite.close();
  expect(existsSync(log)).toBe(false);
  settleJournal(sqlite);
  await journalOnDisk(sqlite);
  await expect(journalOnDisk({ path: join(sqlite.path, "x") })).rejects.toThrow("ENOTDIR");
  expect(() => settleJournal({ path: join(sqlite.path, "x") })).toThrow("ENOTDIR");
});

test("a relaxed child starts, works and ends without fsync, and the end of the run is synced", async () => {
  const sqlite = openSqlite(join(folder, "parts.db"));
  const levels: string[] = [];
  const step: Workflow<null, number, null>["run"] = (ctx) => ctx.step("one", async () => 1);
  const relaxed = workflow("relaxed", "1", step, { durability: "relaxed" });
  const synced = workflow("synced", "1", step);
  const whole = workflow<null, number[], null>(
    "whole",
    "1",
    async (ctx) => [await ctx.child("soon", relaxed, null), await ctx.child("now", synced, null)],
    { durability: "relaxed" },
  );
  const engine = await openEngine({
    sqlite: levelsOf(sqlite, levels),
    blobs: memoryBlobs(),
    inbox: memoryInbox(),
    clock: systemClock,
    ids: systemIds,
    workflows: [relaxed, synced, whole],
    kernel: null,
  });
  await engine.start("whole", null, { runId: "run" });
  levels.length = 0;
  expect(await engine.drive("run")).toMatchObject({ status: "completed", value: [1, 1] });
  const waits = levels.filter((level) => level !== "read");
  // For each child: start, step, end, and its record in the parent, which is relaxed until its own end.
  const [soon, now] = [Array(4).fill("relaxed"), ["waits", "waits", "waits", "relaxed"]];
  expect(waits.slice(waits.indexOf("relaxed"))).toEqual([...soon, ...now, "waits"]);
  await engine.close();
  await sqlite.close();
});

/** The kind of each commit, derived from its changes. */
function levelsOf(sqlite: Sqlite, levels: string[]): Sqlite {
  const exclusive: Sqlite["exclusive"] = (work, durability) =>
    sqlite.exclusive(async (database) => {
      const before = changes(database);
      const result = work(database);
      levels.push(changes(database) === before ? "read" : durability === "relaxed" ? "relaxed" : "waits");
      return result;
    }, durability);
  return { ...sqlite, exclusive };
}

function changes(database: DatabaseSync): number {
  return Number(database.prepare("SELECT total_changes() AS n").get()?.["n"]);
}
