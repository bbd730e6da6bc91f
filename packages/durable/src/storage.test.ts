import { chmodSync, copyFileSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { workflow, type Ctx } from "./ctx.ts";
import { openEngine } from "./engine.ts";
import { systemClock, systemIds } from "./environment.ts";
import { SlipwayError } from "./errors.ts";
import { openSqlite } from "./sqlite.ts";
import { migrateDurable } from "./tables.ts";
import { memoryBlobs, memoryInbox } from "./testing/memory.ts";
import { openPlace, type Place, type Process } from "./testing/process.ts";

let place: Place;
beforeEach(() => void (place = openPlace()));
afterEach(() => place.dispose());

const question = { kind: "approval", title: "?", schema: z.string() };
const open = (run: (ctx: Ctx) => Promise<unknown>): Promise<Process> =>
  place.open({ workflows: [workflow("flow", "1", run)], kernel: undefined });
const limitPages = ({ sqlite }: Process, pages: number) =>
  sqlite.exclusive((database) => database.exec(`PRAGMA max_page_count = ${pages}`));

test("a full disk halts the run without partial writes, and the run continues when there is space", async () => {
  const ran: number[] = [];
  const process = await open(async (ctx) => {
    for (let number = 0; number < 200; number++) {
      await ctx.step(`step:${number}`, () => {
        ran.push(number);
        return Promise.resolve("x".repeat(2000));
      });
    }
    return ran.length;
  });
  const runId = await process.engine.start("flow", null);
  await limitPages(process, 60);
  await expect(process.engine.drive(runId)).rejects.toMatchObject({ code: "disk_full" });
  const recorded = (await process.engine.events(runId)).filter((event) => event.kind === "step").length;
  expect(recorded).toBeLessThan(200);
  expect(ran).toHaveLength(recorded + 1);
  expect(await process.engine.verify(runId)).toMatchObject({ ok: true });
  await limitPages(process, 1_000_000);
  expect(await process.engine.drive(runId)).toEqual({ status: "completed", value: 201 });
  expect(ran.filter((number) => number !== recorded)).toEqual(
    Array.from({ length: 200 }, (_, index) => index).filter((number) => number !== recorded),
  );
});

test("a full disk at the end of a run does not block the lease forever", async () => {
  let short = true;
  const process: Process = await open(async (ctx) => {
    await ctx.step("one", () => Promise.resolve(1));
    if (short) await limitPages(process, 1);
    return "x".repeat(60_000);
  });
  const runId = await process.engine.start("flow", null);
  await expect(process.engine.drive(runId)).rejects.toMatchObject({ code: "disk_full" });
  await limitPages(process, 1_000_000);
  expect(await process.engine.run(runId)).toMatchObject({ status: "running" });
  const other = await open(() => Promise.resolve("not mine"));
  await expect(other.engine.drive(runId)).rejects.toMatchObject({ code: "run_lease_held" });
  short = false;
  expect(await process.engine.drive(runId)).toMatchObject({ status: "completed" });
});

test.each(["in a step", "between steps", "when asking"])(
  "storage that fails under the kernel %s halts the run instead of failing it",
  async (where) => {
    let full = true;
    const failing = () => (full ? Promise.reject(new SlipwayError("disk_full", "The disk is full.")) : Promise.resolve("done"));
    const inbox = memoryInbox();
    const process = await place.open({
      kernel: undefined,
      inbox: { ...inbox, open: (asked) => (where === "when asking" ? failing().then(() => inbox.open(asked)) : inbox.open(asked)) },
      workflows: [
        workflow("flow", "1", async (ctx) => {
          if (where === "in a step") await ctx.step("write", failing, { retry: { attempts: 2, backoffMs: 1 } });
          if (where === "between steps") await failing();
          return ctx.ask("q", question);
        }),
      ],
    });
    const runId = await process.engine.start("flow", null);
    await expect(process.engine.drive(runId)).rejects.toMatchObject({ code: "disk_full" });
    expect(await process.engine.run(runId)).toMatchObject({ status: "stopped", holder: null });
    expect((await process.engine.events(runId)).at(-1)).toMatchObject({
      kind: "stopped",
      payload: expect.stringContaining("disk_full") as unknown,
    });
    full = false;
    expect(await process.engine.drive(runId)).toMatchObject({ status: "waiting" });
  },
);

test("an observer that throws halts the run", async () => {
  let broken = true;
  const process = await place.open({
    kernel: undefined,
    workflows: [workflow("flow", "1", (ctx) => ctx.step("one", () => Promise.resolve(1)))],
    observe: (event) => {
      if (broken && event.kind === "step") throw new TypeError("no terminal");
    },
  });
  const runId = await process.engine.start("flow", null);
  await expect(process.engine.drive(runId)).rejects.toThrow("no terminal");
  broken = false;
  expect(await process.engine.drive(runId)).toEqual({ status: "completed", value: 1 });
});

test("any value thrown in the engine's own work halts the run", async () => {
  const process = await place.open({
    kernel: undefined,
    workflows: [workflow("flow", "1", (ctx) => ctx.step("one", () => Promise.resolve(1)))],
    observe: (event) => {
      // oxlint-disable-next-line no-throw-literal
      if (event.kind === "step") throw "a string";
    },
  });
  await expect(process.engine.drive(await process.engine.start("flow", null))).rejects.toBe("a string");
});

test("a locked database is waited for, then named in the error", async () => {
  const process = await open((ctx) => ctx.step("one", () => Promise.resolve(1)));
  const runId = await process.engine.start("flow", null);
  const other = openSqlite(place.path);
  await other.exclusive((database) => database.exec("BEGIN IMMEDIATE"));
  await expect(process.engine.drive(runId)).rejects.toMatchObject({ code: "database_locked", details: { retryable: true } });
  await expect(process.engine.requestStop(runId, "enough")).rejects.toMatchObject({ code: "database_locked" });
  await other.exclusive((database) => database.exec("ROLLBACK"));
  expect(await process.engine.drive(runId)).toEqual({ status: "completed", value: 1 });
  await other.close();
});

test("a read-only database can be read and not written", async () => {
  const process = await open((ctx) => ctx.step("one", () => Promise.resolve(1)));
  const runId = await process.engine.start("flow", null);
  await process.engine.drive(runId);
  const sqlite = openSqlite(place.path, { readOnly: true });
  const reader = await openEngine({
    sqlite,
    blobs: memoryBlobs(),
    inbox: memoryInbox(),
    clock: systemClock,
    ids: systemIds,
    kernel: undefined,
    workflows: [workflow("flow", "1", () => Promise.resolve(1))],
  });
  expect(await reader.run(runId)).toMatchObject({ status: "completed" });
  expect(await reader.verify(runId)).toMatchObject({ ok: true });
  expect(await reader.drive(runId)).toEqual({ status: "completed", value: 1 });
  await expect(reader.start("flow", 2)).rejects.toMatchObject({ code: "database_read_only" });
  await sqlite.close();
});

test("an empty read-only database is refused with the reason", async () => {
  const sqlite = openSqlite(place.path);
  await sqlite.exclusive((database) => database.exec("CREATE TABLE other (x)"));
  await sqlite.close();
  const reader = openSqlite(place.path, { readOnly: true });
  await expect(migrateDurable(reader)).rejects.toMatchObject({ code: "database_read_only" });
  await reader.close();
});

test("a database of a newer Slipway is refused and not changed", async () => {
  await open(() => Promise.resolve(1));
  await place.tamper("UPDATE durable_meta SET value = 99");
  await expect(open(() => Promise.resolve(1))).rejects.toMatchObject({ code: "database_newer", details: { file: place.path } });
});

test("a database without its version row counts as the first version", async () => {
  await open(() => Promise.resolve(1));
  await place.tamper("DELETE FROM durable_meta");
  expect(await (await open(() => Promise.resolve(1))).engine.runs()).toEqual([]);
});

test("two processes may create the tables at the same time", async () => {
  const [one, two] = [openSqlite(place.path), openSqlite(place.path)];
  await Promise.all([migrateDurable(one), migrateDurable(two)]);
  await Promise.all([one.close(), two.close()]);
});

test("a copy of the file has the same history", async () => {
  const process = await open((ctx) => ctx.step("one", () => Promise.resolve(1)));
  const runId = await process.engine.start("flow", null);
  await process.engine.drive(runId);
  await process.sqlite.exclusive((database) => database.exec("PRAGMA wal_checkpoint(TRUNCATE)"));
  copyFileSync(place.path, `${place.path}.copy`);
  chmodSync(`${place.path}.copy`, 0o600);
  const sqlite = openSqlite(`${place.path}.copy`);
  const copy = await openEngine({
    sqlite,
    blobs: place.blobs,
    inbox: place.inbox,
    clock: systemClock,
    ids: systemIds,
    kernel: undefined,
    workflows: [],
  });
  expect(await copy.verify(runId, await process.engine.head(runId))).toMatchObject({ ok: true, events: 3 });
  await sqlite.close();
});
