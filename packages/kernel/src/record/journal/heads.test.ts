import { cpSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { layoutAt } from "../../host/layout.ts";
import { openRecords } from "../../open-records.ts";
import type { Records } from "../storage.ts";
import { assertNotRolledBack, keepHeads, keptFacts, verifyJournal } from "./heads.ts";
import { repositoryId } from "./place.ts";
import { REPOSITORY_STREAM } from "./repository.ts";

let home: string;
let stateHome: string;
const opened: Records[] = [];
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "slipway-heads-"));
  stateHome = join(home, "state");
});
afterEach(async () => {
  for (const records of opened.splice(0)) await records.close();
});

async function open(name: string): Promise<Records> {
  mkdirSync(join(home, name, ".git"), { recursive: true });
  const records = await openRecords({ layout: layoutAt(join(home, name)) });
  opened.push(records);
  return records;
}
let number = 0;
/** Each event is another one, as with real clocks and operation ids. */
async function append({ database: { db }, journal }: Records, times = 1): Promise<void> {
  for (let left = times; left > 0; left--)
    await db.transaction().execute((tx) => journal.append(tx, { kind: "operation", name: "note", at: (number += 1), payload: {} }));
}
async function closed(records: Records): Promise<void> {
  await opened.splice(opened.indexOf(records), 1)[0]?.close();
}
async function copied(from: Records, name: string): Promise<Records> {
  await closed(from);
  cpSync(from.layout.root, join(home, name), { recursive: true });
  return open(name);
}
const verdict = async (records: Records) => (await verifyJournal(stateHome, records)).get(REPOSITORY_STREAM);
const broken = { code: "journal_broken" };

describe("a database that was put back to an earlier copy", () => {
  test("stops all work, proves nothing, and is found by the verification", async () => {
    let records = await open("a");
    await append(records, 2);
    const earlier = await copied(records, "earlier");
    await closed(earlier);
    records = await open("a");
    await append(records);
    await keepHeads(stateHome, records);
    await expect(assertNotRolledBack(stateHome, records)).resolves.toBeUndefined();
    await closed(records);
    rmSync(join(home, "a", ".git", "slipway"), { recursive: true });
    cpSync(join(home, "earlier", ".git", "slipway"), join(home, "a", ".git", "slipway"), { recursive: true });
    const restored = await open("a");
    await expect(assertNotRolledBack(stateHome, restored)).rejects.toMatchObject({ ...broken, message: expect.stringContaining("older") });
    await expect(keptFacts(stateHome, restored)).rejects.toMatchObject({ ...broken, details: { reason: "rolled_back" } });
    expect(await verdict(restored)).toMatchObject({ ok: false, broken: { reason: "rolled_back" } });
  });
});

describe("a journal that was written anew from its first event", () => {
  async function anew(): Promise<Records> {
    const records = await open("a");
    await append(records, 3);
    await keepHeads(stateHome, records);
    await closed(records);
    // The folder, whose inode is part of the place, stays.
    rmSync(join(home, "a", ".git", "slipway"), { recursive: true });
    const other = await open("a");
    await append(other, 5);
    return other;
  }

  test("stops all work, and is found by the verification, although it has heads of its own", async () => {
    const other = await anew();
    await expect(assertNotRolledBack(stateHome, other)).rejects.toMatchObject(broken);
    await expect(keptFacts(stateHome, other)).rejects.toMatchObject(broken);
    expect(await verdict(other)).toMatchObject({ ok: false, broken: { reason: "rolled_back" } });
  });

  test("is still refused after the refusal", async () => {
    const other = await anew();
    await expect(assertNotRolledBack(stateHome, other)).rejects.toMatchObject(broken);
    await expect(assertNotRolledBack(stateHome, other)).rejects.toMatchObject(broken);
  });

  test("cannot be hidden by damaging what is kept about the place", async () => {
    const other = await anew();
    const [name = ""] = readdirSync(join(stateHome, "places"));
    writeFileSync(join(stateHome, "places", name), "{}");
    await expect(assertNotRolledBack(stateHome, other)).rejects.toMatchObject({
      ...broken,
      message: expect.stringContaining("outside Slipway"),
    });
  });
});

describe("a copy of a repository", () => {
  test("begins with the heads of the original: one that lacks events is refused", async () => {
    let original = await open("original");
    await append(original, 2);
    const copy = await copied(original, "copy");
    original = await open("original");
    await append(original);
    await keepHeads(stateHome, original);
    await expect(assertNotRolledBack(stateHome, copy)).rejects.toMatchObject(broken);
    await expect(keptFacts(stateHome, copy)).rejects.toMatchObject(broken);
  });

  test("then has its own: events of the copy are not missing in the original", async () => {
    let original = await open("original");
    await append(original, 2);
    await keepHeads(stateHome, original);
    const copy = await copied(original, "copy");
    await append(copy, 3);
    await keepHeads(stateHome, copy);
    original = await open("original");
    await expect(assertNotRolledBack(stateHome, original)).resolves.toBeUndefined();
    await expect(keptFacts(stateHome, original)).resolves.toBeDefined();
    expect(await verdict(original)).toMatchObject({ ok: true, events: 2 });
    await append(original);
    await keepHeads(stateHome, original);
    await expect(assertNotRolledBack(stateHome, copy)).resolves.toBeUndefined();
    expect(await verdict(copy)).toMatchObject({ ok: true, events: 5 });
  });

  test("has another name, and so has a new database in the same place", async () => {
    const original = await open("original");
    await append(original);
    const name = await repositoryId(original.database.db, original.layout.database);
    expect(await repositoryId(original.database.db, original.layout.database)).toBe(name);
    const copy = await copied(original, "copy");
    expect(await repositoryId(copy.database.db, copy.layout.database)).not.toBe(name);
    await closed(copy);
    renameSync(join(home, "original", ".git", "slipway"), join(home, "former"));
    const other = await open("original");
    await append(other);
    expect(await repositoryId(other.database.db, other.layout.database)).not.toBe(name);
  });
});

test("a repository is named by its own stream, not by that of a run", async () => {
  const records = await open("a");
  const { db, sqlite } = records.database;
  const name = () => repositoryId(db, records.layout.database);
  const before = await name();
  await sqlite.write((database) => {
    database.exec("INSERT INTO events VALUES ('a-run', 1, 'step', 's', 's', 1, '{}', '', 'the hash of an event')");
  });
  expect(await name()).toBe(before);
  await append(records);
  const named = await name();
  expect(named).not.toBe(before);
  expect(await name()).toBe(named);
});

test("a repository without events has no kept heads, and nothing to refuse", async () => {
  const records = await open("a");
  await keepHeads(stateHome, records);
  await expect(assertNotRolledBack(stateHome, records)).resolves.toBeUndefined();
  expect(await verdict(records)).toMatchObject({ ok: true, events: 0 });
});
