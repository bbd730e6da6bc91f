import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { workflow } from "./ctx.ts";
import { openEngine } from "./engine.ts";
import { systemClock, systemIds } from "./environment.ts";
import { settleJournal, verifyStream } from "./journal.ts";
import { openSqlite, type Sqlite } from "./sqlite.ts";
import { memoryBlobs, memoryInbox } from "./testing/memory.ts";

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "slipway-unhurried-"))));
afterEach(() => rmSync(folder, { recursive: true }));

const level = (sqlite: Sqlite) => sqlite.exclusive((database) => database.prepare("PRAGMA synchronous").get());
const [FULL, NORMAL] = [{ synchronous: 2 }, { synchronous: 1 }];

test("only the commit that said so does not wait for the disk, also when it fails", async () => {
  const sqlite = openSqlite(join(folder, "a.db"));
  await sqlite.write((database) => database.exec("CREATE TABLE t (x UNIQUE)"));
  const insert = () =>
    sqlite.unhurried((database) => [database.prepare("PRAGMA synchronous").get(), sqlite.prepare("INSERT INTO t VALUES (1)").run()]);
  expect(await insert()).toMatchObject([NORMAL, { changes: 1 }]);
  expect(await level(sqlite)).toEqual(FULL);
  await expect(insert()).rejects.toThrow("UNIQUE");
  expect(await level(sqlite)).toEqual(FULL);
  await sqlite.close();
});

/** Each step counts how often it was done, in the database it is recorded in, as an operation of the kernel does. */
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
            await sqlite.unhurried((database) => {
              levels.push(database.prepare("PRAGMA synchronous").get());
              database.prepare("INSERT INTO did (name) VALUES (?) ON CONFLICT DO NOTHING").run(number);
            });
            return number;
          },
          { unhurried: number !== 3 },
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

test("a power cut takes the end of the journal at most: what is left is whole, and the run goes on to the same end", async () => {
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
  // Started, six steps and the end: each was the last at some moment.
  expect([...lengths].toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  await engine.close();
  await whole.sqlite.close();
});

test("whoever keeps a head elsewhere has the journal on the disk first, and changes nothing by it", async () => {
  const { sqlite, open } = counted(join(folder, "a.db"));
  const engine = await open(1);
  await engine.start("flow", null, { runId: "run" });
  const log = join(folder, "a.db-wal");
  const before = readFileSync(log);
  settleJournal(sqlite);
  expect(readFileSync(log)).toEqual(before);
  await engine.close();
  await sqlite.close();
  expect(existsSync(log)).toBe(false);
  settleJournal(sqlite);
  expect(() => settleJournal({ path: join(sqlite.path, "x") })).toThrow("ENOTDIR");
});
