import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventHash, GENESIS, type ChainVerdict } from "@slipway/durable/chain";
import { decodePayload } from "@slipway/durable/payload";
import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { openDatabase } from "../../open-database.ts";
import type { Database } from "../database/open.ts";
import { isUniqueViolation } from "../database/testing/unique.ts";
import { nodeFileSystem } from "../../host/files/file-system.ts";
import { MemoryFileSystem } from "../../host/files/testing/memory-file-system.ts";
import { objectStore } from "../objects/store.ts";
import { keptHeadsIn } from "./kept-heads.ts";
import { appendRunHead, headOf, readPage, repositoryJournal, REPOSITORY_STREAM, type NewEvent } from "./repository.ts";
import { verifyAll } from "./verify.ts";

const databases: Database[] = [];
afterEach(async () => {
  for (const database of databases.splice(0)) await database.close();
});

async function open(folder = mkdtempSync(join(tmpdir(), "slipway-journal-"))) {
  const database = await openDatabase({ path: join(folder, "slipway.db") });
  databases.push(database);
  const objects = objectStore(nodeFileSystem, join(folder, "objects"));
  const journal = repositoryJournal(objects);
  const append = (event: Partial<NewEvent> = {}) =>
    database.db.transaction().execute((tx) => journal.append(tx, { kind: "operation", name: "note", at: 7, payload: { n: 1 }, ...event }));
  const keptHeads = keptHeadsIn(nodeFileSystem, join(folder, "heads"));
  return { folder, ...database, objects, journal, append, keptHeads };
}

type Opened = Awaited<ReturnType<typeof open>>;

/** A run's stream, as the engine would write it. */
async function runStream({ sqlite }: Opened, stream: string, events: number): Promise<void> {
  await sqlite.write((database) => {
    let prev = GENESIS;
    for (let seq = 1; seq <= events; seq++) {
      const event = { stream, seq, kind: "step", name: `s${seq}`, key: `s${seq}`, at: seq, payload: '{"value":1}', prev };
      prev = eventHash(event);
      database
        .prepare("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")
        .run(stream, seq, event.kind, event.name, event.key, event.at, event.payload, event.prev, prev);
    }
  });
}

const verdictOf = (verdicts: ReadonlyMap<string, ChainVerdict>, stream = REPOSITORY_STREAM) => verdicts.get(stream);
const broken = (reason: string) => ({ ok: false, broken: { reason } });

describe("appending", () => {
  test("each event follows the one before it, in the caller's transaction", async () => {
    const bench = await open();
    const first = await bench.append({ key: "a" });
    const second = await bench.append({ payload: { n: 2 } });
    const { events } = await readPage(bench.db, REPOSITORY_STREAM);
    expect(events.map(({ seq, key, prev, hash }) => ({ seq, key, prev, hash }))).toEqual([
      { seq: 1, key: "a", prev: GENESIS, hash: first.hash },
      { seq: 2, key: null, prev: first.hash, hash: second.hash },
    ]);
    expect(await headOf(bench.db, REPOSITORY_STREAM)).toEqual(second);
    expect(verdictOf(await verifyAll(bench.sqlite))).toMatchObject({ ok: true, events: 2 });
  });

  test("a transaction that fails leaves no event", async () => {
    const bench = await open();
    const failing = bench.db.transaction().execute(async (tx) => {
      await bench.journal.append(tx, { kind: "operation", name: "note", at: 1, payload: {} });
      throw new Error("no");
    });
    await expect(failing).rejects.toThrow("no");
    expect(await headOf(bench.db, REPOSITORY_STREAM)).toBeUndefined();
  });

  test("a key is used once", async () => {
    const bench = await open();
    await bench.append({ key: "a" });
    await expect(bench.append({ key: "a" })).rejects.toSatisfy(isUniqueViolation);
  });

  test("a long payload is in the object store and is verified, too", async () => {
    const bench = await open();
    await bench.append({ payload: { text: "x".repeat(70_000) } });
    const { events } = await readPage(bench.db, REPOSITORY_STREAM);
    expect(events[0]?.payload.length).toBeLessThan(200);
    expect(await decodePayload(bench.objects, events[0]!)).toEqual({ text: "x".repeat(70_000) });
    expect(verdictOf(await verifyAll(bench.sqlite, { blobs: bench.objects }))).toMatchObject({ ok: true });
    rmSync(join(bench.folder, "objects"), { recursive: true });
    expect(verdictOf(await verifyAll(bench.sqlite, { blobs: bench.objects }))).toMatchObject(broken("blob_missing"));
  });

  test("pages", async () => {
    const bench = await open();
    for (let number = 0; number < 5; number++) await bench.append();
    const seen: number[] = [];
    let from: number | undefined = 1;
    while (from !== undefined) {
      const page: Awaited<ReturnType<typeof readPage>> = await readPage(bench.db, REPOSITORY_STREAM, { from, limit: 2 });
      seen.push(...page.events.map(({ seq }) => seq));
      from = page.next;
    }
    expect(seen).toEqual([1, 2, 3, 4, 5]);
  });
});

describe("verifying", () => {
  test.each([
    ["an edited payload", "UPDATE events SET payload = '{\"n\":9}' WHERE seq = 2", "edited"],
    ["a removed event", "DELETE FROM events WHERE seq = 2", "gap"],
    ["a truncated tail", "DELETE FROM events WHERE seq = 3", "truncated"],
    ["a recomputed hash", "UPDATE events SET hash = 'x' WHERE seq = 3", "edited"],
  ])("%s is found", async (_name, sql, reason) => {
    const bench = await open();
    for (let number = 0; number < 3; number++) await bench.append();
    await bench.sqlite.write((database) => database.exec(sql));
    expect(verdictOf(await verifyAll(bench.sqlite))).toMatchObject(broken(reason));
  });

  test("every run's stream is verified as well", async () => {
    const bench = await open();
    await bench.append();
    await runStream(bench, "run_1", 3);
    await runStream(bench, "run_2", 3);
    await bench.sqlite.write((database) => database.exec("UPDATE events SET at = 99 WHERE stream = 'run_2' AND seq = 1"));
    const verdicts = await verifyAll(bench.sqlite);
    expect([...verdicts.keys()]).toEqual([REPOSITORY_STREAM, "run_1", "run_2"]);
    expect([...verdicts.values()].map(({ ok }) => ok)).toEqual([true, true, false]);
  });

  test("a truncated or missing stream of a run is found by its head in the repository's stream", async () => {
    const bench = await open();
    await runStream(bench, "run_1", 3);
    const head = await headOf(bench.db, "run_1");
    await bench.db.transaction().execute((tx) => appendRunHead(bench.journal, tx, "run_1", head!, 9));
    expect(verdictOf(await verifyAll(bench.sqlite), "run_1")).toMatchObject({ ok: true, events: 3 });
    await bench.sqlite.write((database) =>
      database.exec(
        "DELETE FROM events WHERE stream = 'run_1' AND seq = 3; UPDATE heads SET seq = 2, hash = (SELECT hash FROM events WHERE stream = 'run_1' AND seq = 2) WHERE stream = 'run_1'",
      ),
    );
    expect(verdictOf(await verifyAll(bench.sqlite), "run_1")).toMatchObject(broken("rolled_back"));
    await bench.sqlite.write((database) =>
      database.exec("DELETE FROM events WHERE stream = 'run_1'; DELETE FROM heads WHERE stream = 'run_1'"),
    );
    expect(verdictOf(await verifyAll(bench.sqlite), "run_1")).toMatchObject(broken("rolled_back"));
  });
});

describe("heads kept outside", () => {
  test("a database restored from an older copy is found, although it is consistent in itself", async () => {
    const bench = await open();
    await bench.append();
    const path = join(bench.folder, "slipway.db");
    await bench.sqlite.exclusive((database) => database.exec("PRAGMA wal_checkpoint(TRUNCATE)"));
    copyFileSync(path, `${path}.old`);
    const head = await bench.append();
    await bench.keptHeads.recordHead(REPOSITORY_STREAM, head);
    expect(verdictOf(await verifyAll(bench.sqlite, { keptHeads: bench.keptHeads }))).toMatchObject({ ok: true, events: 2 });
    for (const database of databases.splice(0)) await database.close();
    copyFileSync(`${path}.old`, path);
    const restored = await open(bench.folder);
    expect(verdictOf(await verifyAll(restored.sqlite))).toMatchObject({ ok: true, events: 1 });
    expect(verdictOf(await verifyAll(restored.sqlite, { keptHeads: bench.keptHeads }))).toMatchObject(broken("rolled_back"));
    // Continuing from the old copy does not hide it: the event differs.
    await restored.append({ name: "other" });
    await restored.append({ name: "more" });
    expect(verdictOf(await verifyAll(restored.sqlite, { keptHeads: bench.keptHeads }))).toMatchObject(broken("rolled_back"));
  });

  test("a missing stream is found", async () => {
    const bench = await open();
    await bench.keptHeads.recordHead("run_9", { seq: 4, hash: "a".repeat(64) });
    expect(verdictOf(await verifyAll(bench.sqlite, { keptHeads: bench.keptHeads }), "run_9")).toMatchObject(broken("rolled_back"));
  });

  test("both the kept head and the recorded one must exist", async () => {
    const bench = await open();
    await runStream(bench, "run_1", 3);
    const head = (await headOf(bench.db, "run_1"))!;
    await bench.keptHeads.recordHead("run_1", { seq: 1, hash: (await readPage(bench.db, "run_1")).events[0]!.hash });
    await bench.db.transaction().execute((tx) => appendRunHead(bench.journal, tx, "run_1", head, 9));
    expect(verdictOf(await verifyAll(bench.sqlite, bench), "run_1")).toMatchObject({ ok: true });
    await bench.db.transaction().execute((tx) => appendRunHead(bench.journal, tx, "run_1", { seq: 4, hash: head.hash }, 9));
    expect(verdictOf(await verifyAll(bench.sqlite, bench), "run_1")).toMatchObject(broken("rolled_back"));
  });

  test("a kept head never moves back", async () => {
    const { keptHeads, folder } = await open();
    expect(await keptHeads.readAll()).toEqual(new Map());
    expect(await keptHeads.read("s")).toBeUndefined();
    await keptHeads.recordHead("s", { seq: 5, hash: "b".repeat(64) });
    await keptHeads.recordHead("s", { seq: 3, hash: "c".repeat(64) });
    await keptHeads.recordHead("s/../x", { seq: 1, hash: "d".repeat(64) });
    expect(await keptHeads.read("s")).toEqual({ seq: 5, hash: "b".repeat(64) });
    expect((await keptHeads.readAll()).size).toBe(2);
    expect(readdirSync(join(folder, "heads"))).toHaveLength(2);
  });

  test.each(["not json", '{"stream":"s"}'])("a kept head that was changed (%s) is an error, not a missing one", async (text) => {
    const { keptHeads, folder } = await open();
    mkdirSync(join(folder, "heads"));
    writeFileSync(join(folder, "heads", "x.json"), text);
    await expect(keptHeads.readAll()).rejects.toMatchObject({ code: "journal_broken", details: { file: join(folder, "heads", "x.json") } });
  });

  test("a disk error is not taken for a missing head", async () => {
    const fs = new MemoryFileSystem();
    fs.fault = (call) => (call === "list" || call === "read" ? "EIO" : undefined);
    await expect(keptHeadsIn(fs, "/heads").readAll()).rejects.toThrow("EIO");
    await expect(keptHeadsIn(fs, "/heads").recordHead("s", { seq: 1, hash: "a".repeat(64) })).rejects.toThrow("EIO");
  });
});

/** Appends, copies, restores and edits in any order; the model knows whether the chain should still be valid. */
interface Model {
  events: number;
  kept: number;
  rolledBack: boolean;
  edited: number[];
}

const isIntact = ({ rolledBack, edited }: Readonly<Model>) => !rolledBack && edited.length === 0;

class Append implements fc.AsyncCommand<Model, Opened> {
  check = (model: Readonly<Model>) => isIntact(model);
  async run(model: Model, bench: Opened): Promise<void> {
    expect(await bench.append({ payload: { n: model.events } })).toMatchObject({ seq: ++model.events });
  }
  toString = () => "append";
}

class Keep implements fc.AsyncCommand<Model, Opened> {
  check = (model: Readonly<Model>) => isIntact(model) && model.events > 0;
  async run(model: Model, bench: Opened): Promise<void> {
    await bench.keptHeads.recordHead(REPOSITORY_STREAM, (await headOf(bench.db, REPOSITORY_STREAM))!);
    model.kept = model.events;
  }
  toString = () => "keep";
}

class CutBack implements fc.AsyncCommand<Model, Opened> {
  readonly #by: number;
  constructor(by: number) {
    this.#by = by;
  }
  check = (model: Readonly<Model>) => model.events >= this.#by;
  async run(model: Model, bench: Opened): Promise<void> {
    model.events -= this.#by;
    await bench.sqlite.write((database) => {
      database.prepare("DELETE FROM events WHERE seq > ?").run(model.events);
      database.exec("DELETE FROM heads; INSERT INTO heads SELECT stream, seq, hash FROM events ORDER BY seq DESC LIMIT 1");
    });
    if (model.events < model.kept) model.rolledBack = true;
    model.edited = model.edited.filter((seq) => seq <= model.events);
  }
  toString = () => `cutBack(${this.#by})`;
}

class Edit implements fc.AsyncCommand<Model, Opened> {
  readonly #seq: number;
  constructor(seq: number) {
    this.#seq = seq;
  }
  check = (model: Readonly<Model>) => model.events >= this.#seq;
  async run(model: Model, bench: Opened): Promise<void> {
    await bench.sqlite.write((database) => database.prepare("UPDATE events SET name = name || '!' WHERE seq = ?").run(this.#seq));
    model.edited.push(this.#seq);
  }
  toString = () => `edit(${this.#seq})`;
}

class Verify implements fc.AsyncCommand<Model, Opened> {
  check = () => true;
  async run(model: Model, bench: Opened): Promise<void> {
    const verdict = verdictOf(await verifyAll(bench.sqlite, { keptHeads: bench.keptHeads }));
    expect(verdict?.ok).toBe(isIntact(model));
  }
  toString = () => "verify";
}

test("after any changes to the journal, verify says whether it is intact", async () => {
  const commands = fc.commands(
    [
      fc.constant(new Append()),
      fc.constant(new Append()),
      fc.constant(new Keep()),
      fc.integer({ min: 1, max: 2 }).map((by) => new CutBack(by)),
      fc.integer({ min: 1, max: 4 }).map((seq) => new Edit(seq)),
      fc.constant(new Verify()),
    ],
    { maxCommands: 15 },
  );
  await fc.assert(
    fc.asyncProperty(commands, async (sequence) => {
      const bench = await open();
      await fc.asyncModelRun(
        () => ({ model: { events: 0, kept: 0, rolledBack: false, edited: [] }, real: bench }),
        [...sequence, new Verify()],
      );
      await databases.pop()?.close();
    }),
    { numRuns: 60 },
  );
});
