import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventHash, type JournalEvent } from "@slipway/durable/chain";
import { systemClock } from "@slipway/durable/environment";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { provenChecks, recordCheck, type NewCheck } from "../../change/judge/evidence/checks.ts";
import { nodeFileSystem } from "../../host/files/file-system.ts";
import { MIGRATIONS } from "../../migrations.ts";
import { openDatabase, type Database } from "../database/open.ts";
import { repositoryJournal } from "../journal/repository.ts";
import { objectStore } from "../objects/store.ts";
import { createDoor, type FrontDoor } from "../operations/door.ts";
import { Refusal, type Operation } from "../operations/operation.ts";
import { SlipwayError } from "../../schema/errors.ts";
import { FORMER_FACTS } from "./append.ts";
import { recordFact, rowDigest } from "./collect.ts";
import { compareAll } from "./compare.ts";
import { journalFacts } from "./read-back.ts";

const place = () => join(mkdtempSync(join(tmpdir(), "slipway-facts-")), "slipway.db");
let file: string;
let database: Database;
let door: FrontDoor;
const open = async (migrations = MIGRATIONS) => {
  database = await openDatabase({ path: file, migrations });
  const blobs = objectStore(nodeFileSystem, join(file, "..", "objects"));
  door = createDoor({ db: database.db, clock: systemClock, blobs, journal: repositoryJournal(blobs) });
};
beforeEach(async () => {
  file = place();
  await open();
});
afterEach(() => database.close());

const row = (id: string, more: Partial<NewCheck> = {}): NewCheck => ({
  id,
  run_id: "run1",
  feature_id: "letters",
  name: "full",
  kind: "mode",
  tree: "t1",
  status: "fail",
  exit_code: null,
  counts: { tests: 3 },
  log_digest: null,
  at: 1_000,
  ...more,
});
const observing = (
  rows: readonly NewCheck[],
  end: () => unknown = () => null,
): Operation<{ n?: string | undefined }, undefined, unknown> => ({
  name: "observe",
  roles: ["system"],
  input: z.object({ n: z.string().optional() }),
  async commit(tx) {
    for (const one of rows) await recordCheck(tx, one);
    return end();
  },
});
let number = 0;
const observe = (...rows: NewCheck[]) => door.perform(observing(rows), { type: "system", id: "test" }, `op${(number += 1)}`, {});
const checks = () => provenChecks(database.db, { feature_id: "letters" });
const faults = async () => (await compareAll(database.db, await journalFacts(database.db))).map(({ key, reason }) => `${key} ${reason}`);
const sql = (text: string) => database.sqlite.write((connection) => connection.exec(text));
const eventsNow = () => database.db.selectFrom("events").selectAll().orderBy("seq").execute();

describe("a row that an operation writes", () => {
  test("is in the event of that operation, and read back from it", async () => {
    await observe(row("a"), row("b", { status: "pass" }));
    const [event] = await eventsNow();
    const stored = await database.db.selectFrom("checks").selectAll().where("id", "=", "a").executeTakeFirstOrThrow();
    expect(JSON.parse(event?.payload ?? "")).toMatchObject({ facts: { checks: { a: rowDigest(stored), b: expect.any(String) } } });
    expect(await checks()).toMatchObject([
      { id: "a", status: "fail", counts: { tests: 3 }, former: false },
      { id: "b", status: "pass" },
    ]);
    expect(await faults()).toEqual([]);
  });

  test.each([
    ["status", "UPDATE checks SET status = 'pass' WHERE id = 'a'"],
    ["counts", `UPDATE checks SET counts = '{"tests":9999}' WHERE id = 'a'`],
    ["tree", "UPDATE checks SET tree = 't2' WHERE id = 'a'"],
    ["time", "UPDATE checks SET at = 9 WHERE id = 'a'"],
    ["log that was empty", "UPDATE checks SET log_digest = 'x' WHERE id = 'a'"],
  ])("is refused with another %s", async (_what, change) => {
    await observe(row("a"));
    await observe(row("b"));
    await checks();
    await sql(change);
    await expect(checks()).rejects.toMatchObject({ code: "evidence_tampered", details: { table: "checks", key: "a", event: 1 } });
    expect(await faults()).toEqual(["a changed"]);
  });

  test("that no event recorded, or that is missing, is found", async () => {
    await observe(row("a"), row("b"));
    await sql(
      "INSERT INTO checks SELECT 'c', run_id, feature_id, name, kind, tree, 'pass', exit_code, counts, log_digest, produced_by, at FROM checks LIMIT 1; DELETE FROM checks WHERE id = 'b'",
    );
    await expect(checks()).rejects.toMatchObject({ code: "evidence_tampered", details: { key: "c", reason: "invented", event: null } });
    expect(await faults()).toEqual(["c invented", "b missing"]);
  });

  test("outside an operation is a bug of the caller, because nothing would bind it", async () => {
    await expect(database.db.transaction().execute((tx) => recordCheck(tx, row("a")))).rejects.toMatchObject({ code: "internal_error" });
    await observe(row("b"));
    await expect(database.db.transaction().execute(async (tx) => recordFact(tx, "checks", "b", null))).rejects.toThrow(
      "outside an operation",
    );
  });

  test("is bound also if the operation is refused and keeps its writes, and not if they are undone", async () => {
    const refusal = new SlipwayError("policy_violation", "no");
    const kept = observing([row("a")], () => new Refusal(refusal, { kept: true }));
    const undone = observing([row("b")], () => {
      throw refusal;
    });
    for (const [id, operation] of [
      ["op-a", kept],
      ["op-b", undone],
    ] as const)
      await expect(door.perform(operation, { type: "system", id: "t" }, id, {})).rejects.toMatchObject({ code: "policy_violation" });
    expect((await checks()).map(({ id }) => id)).toEqual(["a"]);
    expect(await faults()).toEqual([]);
  });

  test("is bound by events of its own if there are too many for one event; none is in the object store", async () => {
    const many = Array.from({ length: 700 }, (_, index) => row(`many ${index}`));
    await observe(...many);
    const [first, ...others] = await eventsNow();
    expect(first?.payload).not.toContain("facts");
    expect(others.map(({ kind }) => kind)).toEqual(Array.from({ length: 5 }, () => "facts"));
    expect(others.every(({ payload }) => !payload.includes("$blob"))).toBe(true);
    expect(await checks()).toHaveLength(700);
    await sql("UPDATE checks SET status = 'pass' WHERE id = 'many 699'");
    expect(await faults()).toEqual(["many 699 changed"]);
  });
});

describe("the chain that is read back", () => {
  /** Makes the events from `seq` on say what the rows say, with correct hashes. */
  async function rewrite(from: number): Promise<void> {
    const stored = await database.db.selectFrom("checks").selectAll().execute();
    let prev = "";
    for (const { hash, ...event } of await eventsNow()) {
      let next: JournalEvent = { ...event, hash };
      if (event.seq >= from) {
        const payload = JSON.parse(event.payload) as { facts?: { checks: Record<string, string> } };
        for (const one of stored) if (payload.facts?.checks[one.id] !== undefined) payload.facts.checks[one.id] = rowDigest(one);
        const rewritten = { ...event, payload: JSON.stringify(payload), prev: event.seq === 1 ? event.prev : prev };
        next = { ...rewritten, hash: eventHash(rewritten) };
        await database.db.updateTable("events").set(next).where("seq", "=", event.seq).execute();
      }
      prev = next.hash;
    }
    await database.db.updateTable("heads").set({ hash: prev }).execute();
  }

  test("must be whole: an edited event proves nothing", async () => {
    await observe(row("a"));
    await sql("UPDATE checks SET status = 'pass'");
    const stored = await database.db.selectFrom("checks").selectAll().executeTakeFirstOrThrow();
    const [event] = await eventsNow();
    const payload = (event?.payload ?? "").replace(/"a":"[0-9a-f]+"/, `"a":"${rowDigest(stored)}"`);
    await database.db.updateTable("events").set({ payload }).execute();
    await expect(checks()).rejects.toMatchObject({ code: "journal_broken", details: { reason: "edited", seq: 1 } });
  });

  test("written again with correct hashes is caught by a head that was kept elsewhere", async () => {
    for (const id of ["a", "b", "c"]) await observe(row(id));
    const kept = (await eventsNow()).map(({ seq, hash }) => ({ seq, hash }));
    await sql("UPDATE checks SET status = 'pass' WHERE id = 'b'");
    await rewrite(2);
    for (const head of kept.slice(1))
      await expect(journalFacts(database.db, head)).rejects.toMatchObject({ details: { reason: "rolled_back" } });
    await expect(journalFacts(database.db, { seq: 9, hash: "0".repeat(64) })).rejects.toMatchObject({ details: { reason: "rolled_back" } });
  });

  test("is read on from where this process stopped, and from the beginning if that is no longer there", async () => {
    for (const id of ["a", "b"]) await observe(row(id));
    expect((await journalFacts(database.db)).of("checks").size).toBe(2);
    await observe(row("c"));
    const { seq, hash } = (await eventsNow()).at(-1) ?? { seq: 0, hash: "" };
    expect((await journalFacts(database.db, { seq, hash })).of("checks").size).toBe(3);
    expect((await journalFacts(database.db, { seq, hash })).about("checks", "c")).toMatchObject({
      seq: 3,
      event: "observe",
      former: false,
    });
    await sql("UPDATE checks SET status = 'pass' WHERE id = 'b'");
    await rewrite(2);
    // Whole in itself: without a kept head nothing contradicts it.
    expect((await journalFacts(database.db)).of("checks").size).toBe(3);
    expect(await faults()).toEqual([]);
    await sql("DELETE FROM events WHERE seq = 3; UPDATE heads SET seq = 2, hash = (SELECT hash FROM events WHERE seq = 2)");
    expect((await journalFacts(database.db)).of("checks").size).toBe(2);
    await sql("DELETE FROM events WHERE seq = 2");
    await expect(journalFacts(database.db)).rejects.toMatchObject({ details: { reason: "truncated" } });
  });
});

describe("a chain that was found to be broken", () => {
  test("leaves nothing behind that this process believes after it is whole again", async () => {
    await observe(row("a"));
    expect((await journalFacts(database.db)).of("checks").size).toBe(1);
    const whole = await database.db.selectFrom("heads").selectAll().executeTakeFirstOrThrow();
    // An event that proves a row, in a stream whose recorded head is another event.
    const forged = { ...(await eventsNow())[0]!, seq: 2, key: "forged", prev: whole.hash, payload: '{"facts":{"checks":{"z":"0"}}}' };
    await database.db
      .insertInto("events")
      .values({ ...forged, hash: eventHash(forged) })
      .execute();
    await database.db
      .updateTable("heads")
      .set({ seq: 2, hash: "0".repeat(64) })
      .execute();
    await expect(journalFacts(database.db)).rejects.toMatchObject({ code: "journal_broken" });
    await database.db.deleteFrom("events").where("seq", "=", 2).execute();
    await database.db.updateTable("heads").set({ seq: 1, hash: whole.hash }).execute();
    const facts = await journalFacts(database.db);
    expect(facts.about("checks", "z")).toBeUndefined();
    expect(facts.of("checks").size).toBe(1);
  });
});

describe("a database from before facts were signed", () => {
  beforeEach(async () => {
    await database.close();
    file = place();
    await open(
      MIGRATIONS.slice(
        0,
        MIGRATIONS.findIndex(({ name }) => name === "former-facts"),
      ),
    );
    const { counts, ...old } = row("old", { status: "pass" });
    await database.db
      .insertInto("checks")
      .values({ ...old, counts: JSON.stringify(counts), produced_by: "harness" })
      .execute();
    await database.close();
    await open();
  });

  test("has its rows bound by the update, marked as former, so that a later change is found", async () => {
    expect((await eventsNow()).map(({ name }) => name)).toEqual([FORMER_FACTS]);
    await observe(row("new"));
    expect((await checks()).map(({ id, former }) => `${id} ${former}`)).toEqual(["new false", "old true"]);
    await sql("UPDATE checks SET status = 'fail' WHERE id = 'old'");
    expect(await faults()).toEqual(["old changed"]);
    await database.close();
    await open();
    expect(await eventsNow()).toHaveLength(2);
  });
});
