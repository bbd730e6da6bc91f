import { appendFileSync, copyFileSync, readFileSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { layoutAt } from "@slipway/kernel/host/layout";
import { expectRefused } from "../bad-input/place.ts";
import { resume, runUntilApproval, slipway } from "./cli.ts";
import { unharmed } from "./surroundings.ts";
import { makeYard, type Yard } from "./yard.ts";

let yard: Yard;
let putBack: () => void;

/** One run that waits for its approval; every attack starts from a fresh copy. */
beforeAll(async () => {
  yard = await makeYard();
  await runUntilApproval(yard);
  putBack = yard.keep();
});
afterEach(() => putBack());
afterAll(() => yard.remove());

const database = (suffix = "") => `${layoutAt(yard.root).database}${suffix}`;

async function approveAndMerge(): Promise<void> {
  expect((await slipway(yard, ["approve"])).code).toBe(0);
  expect((await slipway(yard, ["merge"])).code).toBe(0);
  expect(yard.git("show", "main:src/a.txt")).toBe("two\n");
  expect((await slipway(yard, ["journal", "verify"])).code).toBe(0);
}

test("attack 37: a torn write is discarded, and nothing acknowledged is lost", async () => {
  const writer = new DatabaseSync(database());
  writer.exec("BEGIN IMMEDIATE; UPDATE features SET status_reason = 'never acknowledged'; COMMIT");
  // The database before the checkpoint, and a log with a missing end.
  const log = readFileSync(database("-wal"));
  copyFileSync(database(), database(".kept"));
  writer.close();
  copyFileSync(database(".kept"), database());
  appendFileSync(database("-wal"), log.subarray(0, log.length - 1000));
  expect(yard.sql("SELECT status_reason FROM features")).not.toEqual([{ status_reason: "never acknowledged" }]);
  await approveAndMerge();
});

test("attack 37: a break in the middle of the chain halts the run, and nothing merges", async () => {
  yard.sql("UPDATE events SET payload = replace(payload, 'two', 'six') WHERE kind = 'step' AND name = 'builder:1'");
  expect(await slipway(yard, ["journal", "verify"])).toMatchObject({
    code: 3,
    stdout: expect.stringMatching(/^BROKEN .*edited at event/m),
  });
  await slipway(yard, ["approve"]);
  await unharmed(yard, ["letters"], async () => {
    for (const go of [() => resume(yard), () => slipway(yard, ["merge"])])
      expectRefused(await go(), { exit: 3, code: "journal_broken", names: ["feature:letters"] });
  });
});

test("attack 38: an event of the repository's stream that was edited, removed or rechained is found", async () => {
  copyFileSync(database(), database(".whole"));
  for (const statement of [
    "UPDATE events SET payload = replace(payload, 'letters', 'lettuce') WHERE stream = 'repository' AND seq = 2",
    "DELETE FROM events WHERE stream = 'repository' AND seq = 2",
    "UPDATE events SET hash = prev WHERE stream = 'repository' AND seq = 2",
  ]) {
    yard.sql(statement);
    await unharmed(yard, ["letters"], async () => {
      const verified = await slipway(yard, ["journal", "verify"]);
      expect(verified, statement).toMatchObject({ code: 3, stdout: expect.stringMatching(/^BROKEN {2}repository: /m) });
    });
    copyFileSync(database(".whole"), database());
  }
  expect((await slipway(yard, ["journal", "verify"])).code).toBe(0);
});

test("attack 38: a database restored from an earlier copy is refused, with its approval", async () => {
  copyFileSync(database(), database(".earlier"));
  expect((await slipway(yard, ["approve"])).code).toBe(0);
  expect((await slipway(yard, ["merge"])).code).toBe(0);
  for (const suffix of ["-wal", "-shm"]) rmSync(database(suffix), { force: true });
  copyFileSync(database(".earlier"), database());
  await unharmed(yard, ["letters"], async () => {
    expect((await slipway(yard, ["journal", "verify"])).code).toBe(3);
    expectRefused(await resume(yard), { exit: 3, code: "journal_broken", names: [database(), "earlier copy"] });
  });
});
