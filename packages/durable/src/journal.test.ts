import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { sha256 } from "./canonical.ts";
import { eventHash, type JournalEvent } from "./chain.ts";
import { workflow, type Ctx } from "./ctx.ts";
import { SlipwayError } from "./errors.ts";
import { appendWithin, readEvents, verifyStream } from "./journal.ts";
import { decodePayload, spill, SPILL_BYTES, spilledDigest } from "./payload.ts";
import { insertSignal } from "./signals.ts";
import { openPlace, type Place, type Process } from "./testing/process.ts";

let place: Place;
beforeEach(() => void (place = openPlace()));
afterEach(() => place.dispose());

const question = { kind: "approval", title: "?", schema: z.string() };
const big = "x".repeat(SPILL_BYTES + 1);
const open = (run: (ctx: Ctx) => Promise<unknown>): Promise<Process> =>
  place.open({ workflows: [workflow("flow", "1", run)], kernel: undefined });

/** A run with six events, the third of them spilled, that waits for an answer. */
async function waitingRun(): Promise<{ process: Process; runId: string }> {
  const process = await open(async (ctx) => {
    await ctx.step("one", () => Promise.resolve(1));
    await ctx.step("big", () => Promise.resolve(big));
    await ctx.child(
      "child",
      workflow("child", "1", (inner) => inner.step("s", () => Promise.resolve(1))),
      null,
    );
    await ctx.step("two", () => Promise.resolve(2));
    return ctx.ask("q", question);
  });
  const runId = await process.engine.start("flow", null, { runId: "run" });
  await process.engine.drive(runId);
  return { process, runId };
}

async function rehash(process: Process, seq: number): Promise<void> {
  const [row] = await readEvents(process.sqlite, "run", seq, 1);
  await place.tamper("UPDATE events SET hash = ? WHERE stream = 'run' AND seq = ?", eventHash(row!), seq);
}

describe("a journal that was changed by another program", () => {
  const intrusions: [string, string, number, (process: Process) => Promise<void>][] = [
    [
      "an edited payload",
      "edited",
      2,
      () => place.tamper(`UPDATE events SET payload = '{"ms":0,"value":2}' WHERE stream = 'run' AND seq = 2`),
    ],
    [
      "an edited payload with a matching hash",
      "edited",
      3,
      async (process) => {
        await place.tamper("UPDATE events SET at = at + 1 WHERE stream = 'run' AND seq = 2");
        await rehash(process, 2);
      },
    ],
    ["a deleted event", "gap", 4, () => place.tamper("DELETE FROM events WHERE stream = 'run' AND seq = 4")],
    ["a deleted tail", "truncated", 5, () => place.tamper("DELETE FROM events WHERE stream = 'run' AND seq > 4")],
    ["everything deleted", "truncated", 1, () => place.tamper("DELETE FROM events WHERE stream = 'run'")],
    [
      "a repeated event",
      "reordered",
      7,
      async (process) => {
        await place.tamper(
          "INSERT INTO events SELECT stream, 7, kind, name, 'again', at, payload, prev, hash FROM events WHERE stream = 'run' AND seq = 2",
        );
        await rehash(process, 7);
      },
    ],
    [
      "a stowaway before the first",
      "reordered",
      0,
      () =>
        place.tamper(
          "INSERT INTO events SELECT stream, 0, kind, name, key, at, payload, prev, hash FROM events WHERE stream = 'run' AND seq = 1",
        ),
    ],
    ["a head that was put back", "edited", 6, () => place.tamper("UPDATE heads SET seq = 5 WHERE stream = 'run'")],
  ];

  test.each(intrusions)("%s is found, and the run does not continue", async (_what, reason, seq, intrude) => {
    const { process, runId } = await waitingRun();
    expect(await process.engine.verify(runId)).toMatchObject({ ok: true, events: 6 });
    await intrude(process);
    expect(await process.engine.verify(runId)).toMatchObject({ ok: false, broken: { reason, seq } });
    await process.engine.signal(runId, "q", "yes");
    const before = await process.engine.head(runId);
    await expect(process.engine.drive(runId)).rejects.toMatchObject({ code: "journal_broken", details: { reason, seq, stream: "run" } });
    expect(await process.engine.head(runId)).toEqual(before);
    expect(await process.engine.run(runId)).toMatchObject({ status: "waiting", holder: null });
  });

  test("a rollback that includes the head is found by a head kept elsewhere", async () => {
    const { process, runId } = await waitingRun();
    const kept = await process.engine.head(runId);
    await place.tamper("DELETE FROM events WHERE stream = 'run' AND seq > 4");
    await place.tamper("UPDATE heads SET seq = 4, hash = (SELECT hash FROM events WHERE stream = 'run' AND seq = 4) WHERE stream = 'run'");
    expect(await process.engine.verify(runId)).toMatchObject({ ok: true });
    expect(await process.engine.verify(runId, kept)).toMatchObject({ ok: false, broken: { reason: "rolled_back", seq: 5 } });
  });

  test("a missing and a damaged blob are found", async () => {
    const { process, runId } = await waitingRun();
    const [digest] = place.blobs.stored.keys();
    place.blobs.stored.set(digest!, Buffer.from("damaged"));
    expect(await process.engine.verify(runId)).toMatchObject({ ok: false, broken: { reason: "blob_corrupt", seq: 3 } });
    await expect(process.engine.drive(runId)).rejects.toMatchObject({ code: "journal_broken", details: { reason: "blob_corrupt" } });
    place.blobs.stored.clear();
    expect(await process.engine.verify(runId)).toMatchObject({ ok: false, broken: { reason: "blob_missing", seq: 3 } });
    Object.assign(place.blobs, { get: () => Promise.reject(new SlipwayError("object_corrupt", "The object is damaged.")) });
    expect(await process.engine.verify(runId)).toMatchObject({ ok: false, broken: { reason: "blob_corrupt", seq: 3 } });
  });

  test("a child's stream is checked when the child is resumed", async () => {
    const process = await open((ctx) =>
      ctx.child(
        "child",
        workflow("child", "1", (inner) => inner.ask("q", question)),
        null,
      ),
    );
    const runId = await process.engine.start("flow", null, { runId: "run" });
    await process.engine.drive(runId);
    await place.tamper("UPDATE events SET at = 0 WHERE stream = 'run/child' AND seq = 1");
    await expect(process.engine.drive(runId)).rejects.toMatchObject({ code: "journal_broken", details: { stream: "run/child" } });
    expect((await process.engine.events(runId)).at(-1)).toMatchObject({
      kind: "stopped",
      payload: expect.stringContaining("journal_broken") as unknown,
    });
  });

  test("an event of another writer stops the owner", async () => {
    const process = await open(async (ctx) => {
      await ctx.step("one", () =>
        place.tamper("INSERT INTO events SELECT stream, 2, kind, name, key, at, payload, prev, hash FROM events WHERE seq = 1"),
      );
      return "not reached";
    });
    const runId = await process.engine.start("flow", null);
    await expect(process.engine.drive(runId)).rejects.toMatchObject({ code: "journal_broken" });
  });

  test("a finished run without its outcome, or a run without its start, is broken", async () => {
    const process = await open(() => Promise.resolve(1));
    const [done, fresh] = [await process.engine.start("flow", 1), await process.engine.start("flow", 2)];
    await process.engine.drive(done);
    await place.tamper("DELETE FROM events");
    await expect(process.engine.drive(done)).rejects.toMatchObject({ code: "journal_broken" });
    await place.tamper("DELETE FROM heads");
    await expect(process.engine.drive(fresh)).rejects.toMatchObject({ code: "journal_broken" });
  });
});

test("a stream can be verified page by page while it is written", async () => {
  const looks = [200, 400, 600, 800, 1000].map((at) => ({
    at,
    reached: Promise.withResolvers<void>(),
    begun: Promise.withResolvers<void>(),
  }));
  const process = await open(async (ctx) => {
    for (let number = 0; number < 1200; number++)
      await ctx.step(`step:${number}`, async () => {
        looks.find(({ at }) => at === number)?.reached.resolve();
        // The steps after it are written while it is verified.
        await looks.find(({ at }) => at + 1 === number)?.begun.promise;
        return number;
      });
    return null;
  });
  await process.sqlite.exclusive((database) => database.exec("PRAGMA synchronous = OFF"));
  const runId = await process.engine.start("flow", null);
  const driven = process.engine.drive(runId);
  const watcher = await open(() => Promise.resolve(null));
  for (const { reached, begun } of looks) {
    await reached.promise;
    const verdict = watcher.engine.verify(runId);
    begun.resolve();
    expect(await verdict).toMatchObject({ ok: true });
  }
  await driven;
  expect(await watcher.engine.verify(runId)).toMatchObject({ ok: true, events: 1202 });
  expect((await watcher.engine.events(runId, 1000, 2)).map((event) => event.seq)).toEqual([1000, 1001]);
});

test("another writer may keep its own stream with the same chain", async () => {
  const { sqlite, engine } = await open(() => Promise.resolve(null));
  const event = (at: number) =>
    sqlite.write(() =>
      appendWithin(sqlite, "repository", { kind: "operation", name: "features.init", key: `op:${at}`, payload: "{}" }, at, null),
    );
  const first = await event(1);
  const second = await event(2);
  expect(second.prev).toBe(first.hash);
  expect(await engine.head("repository")).toEqual({ seq: 2, hash: second.hash });
  expect(await engine.verify("repository")).toMatchObject({ ok: true, events: 2 });
  expect(await engine.verify("unknown")).toMatchObject({ ok: true, events: 0 });
});

describe("payloads", () => {
  const event = (payload: string): JournalEvent => ({
    stream: "s",
    seq: 1,
    kind: "k",
    name: "n",
    key: null,
    at: 0,
    payload,
    prev: "",
    hash: "",
  });

  test.each([
    ["just short enough", "x".repeat(SPILL_BYTES), false],
    ["one byte too long", "x".repeat(SPILL_BYTES + 1), true],
    ["short in characters, long in bytes", "ä".repeat(SPILL_BYTES / 2 + 1), true],
  ])("%s", async (_what, text, spilled) => {
    const stored = await spill(place.blobs, text);
    expect(spilledDigest(stored)).toBe(spilled ? sha256(text) : null);
    expect(stored.length).toBeLessThanOrEqual(SPILL_BYTES);
  });

  test("are read back unchanged", async () => {
    const value = { text: big, list: [1, null] };
    const stored = await spill(place.blobs, JSON.stringify(value));
    expect(spilledDigest(stored)).not.toBeNull();
    expect(await decodePayload(place.blobs, event(stored))).toEqual(value);
  });

  test("a disk error while reading a blob is not taken for a missing one", async () => {
    const { process, runId } = await waitingRun();
    Object.assign(place.blobs, { get: () => Promise.reject(new SlipwayError("io_error", "bad sector")) });
    await expect(verifyStream(process.sqlite, runId, { blobs: place.blobs })).rejects.toMatchObject({ code: "io_error" });
  });
});

test.each([499, 500, 501, 1_001])("a stream of %i events is verified to its last one, whichever page that is on", async (length) => {
  const { sqlite } = await open(async () => null);
  await sqlite.write((database) => {
    for (let seq = 1; seq <= length; seq++)
      appendWithin(sqlite, "long", { kind: "step", name: `s${seq}`, key: `s${seq}`, payload: `{"value":${seq}}` }, seq, null);
    return database;
  });
  expect(await verifyStream(sqlite, "long")).toMatchObject({ ok: true, events: length });
  await place.tamper("UPDATE events SET at = 0 WHERE stream = 'long' AND seq = ?", length);
  expect(await verifyStream(sqlite, "long")).toMatchObject({ ok: false, broken: { reason: "edited", seq: length } });
});

test("an answer can be written in a transaction of the caller", async () => {
  const { process, runId } = await waitingRun();
  await process.sqlite.write((database) => insertSignal(database, { runId, name: "q", value: "from the inbox", sentBy: "ada", at: 1.5 }));
  process.engine.wake();
  expect(await process.engine.drive(runId)).toEqual({ status: "completed", value: "from the inbox" });
  const answered = (await process.engine.events(runId)).find((entry) => entry.kind === "answered");
  expect(JSON.parse(answered!.payload)).toEqual({ by: "ada", value: "from the inbox" });
  const rows = await process.sqlite.exclusive((database) =>
    database.prepare("SELECT consumed_at IS NOT NULL AS consumed FROM signals").all(),
  );
  expect(rows).toEqual([{ consumed: 1 }]);
});

test("an answer that is not JSON is refused like any invalid answer", async () => {
  const { process, runId } = await waitingRun();
  await place.tamper("INSERT INTO signals (run_id, name, value, sent_by, at) VALUES (?, 'q', 'no json', 'intruder', 0)", runId);
  expect(await process.engine.drive(runId)).toMatchObject({ status: "waiting" });
  expect((await process.engine.events(runId)).at(-1)).toMatchObject({ kind: "answer_refused" });
});

test("a recorded answer that the code no longer accepts counts as a changed version", async () => {
  let schema: z.ZodType<string> = z.string();
  const process = await open(async (ctx) => {
    await ctx.ask("q", { ...question, schema });
    return ctx.ask("r", question);
  });
  const runId = await process.engine.start("flow", null);
  await process.engine.signal(runId, "q", "yes");
  await process.engine.drive(runId);
  schema = z.literal("no");
  await expect(process.engine.drive(runId)).rejects.toMatchObject({ code: "workflow_version_changed" });
});
