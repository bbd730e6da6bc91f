import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { storePaths } from "./artifacts/layout.ts";
import type { DocumentKind } from "@slipway/kernel/record/documents/kind";
import { expect, test } from "vitest";
import { z } from "zod";
import { renewLatest } from "./renewing.ts";
import { openFactoryRooms } from "./rooms.ts";
import { factoryRecords } from "./testing/factory-records.ts";

test("what a power cut has emptied of the last records is made again; what was kept long before is not looked at", async () => {
  const { records, folder, call } = await factoryRecords();
  const rooms = openFactoryRooms(records, { durability: "relaxed" });
  const pack = async () => (await rooms.store.keepContextPack(call(), PACK)).context_pack_id;
  const [early, late] = [await pack(), await pack()];
  const round = { debate: "CTR-0a1b2c3d", round: 1, files: { "witnesses.json": [] } };
  await rooms.store.keepRound(call(), round);
  const by = { created_by: { role: "planner", run_id: "r" }, context_pack_ref: early } as const;
  const made = await rooms.artifacts.create(call(), { ...by, artifact_type: "EXAMPLES", pillar: "core", body: { "notes.md": "one\n" } });
  await records.backlog.settled();
  const fileOf = (path: string) => join(folder, path);
  const body = fileOf(`${storePaths.artifact("core", made.artifact_id, made.version)}/body/notes.md`);
  const witnesses = fileOf(`${storePaths.debateRound("CTR-0a1b2c3d", 1)}/witnesses.json`);
  const files = [fileOf(storePaths.contextPack(late)), witnesses, body];
  const texts = files.map((file) => readFileSync(file, "utf8"));
  writeFileSync(files[0]!, "");
  rmSync(files[1]!);
  writeFileSync(files[2]!, "");
  writeFileSync(fileOf(storePaths.contextPack(early)), "");
  const { db } = records.database;
  await db.updateTable("events").set({ at: 0 }).where("seq", "=", 1).execute();
  await renewLatest({ db, ...rooms });
  expect(files.map((file) => readFileSync(file, "utf8"))).toEqual(texts);
  expect(readFileSync(fileOf(storePaths.contextPack(early)), "utf8")).toBe("");
});

test("what was put off by somebody who died before is made when the run goes on", async () => {
  const { records, folder, call } = await factoryRecords();
  const forgetful = { ...records, backlog: { later: () => undefined, settled: async () => undefined } };
  const { context_pack_id } = await openFactoryRooms(forgetful, { durability: "relaxed" }).store.keepContextPack(call(), PACK);
  const file = join(folder, storePaths.contextPack(context_pack_id));
  expect(existsSync(file)).toBe(false);
  await renewLatest({ db: records.database.db, ...openFactoryRooms(records, { durability: "relaxed" }) });
  expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ context_pack_id });
});

test("where nothing was put off there is nothing to make again", async () => {
  const { records, documents, call } = await factoryRecords();
  const renewed: unknown[] = [];
  const rooms = {
    documents: { renew: async (...what: unknown[]) => renewed.push(what) },
    artifacts: { renew: async (ref: string) => void renewed.push(ref) },
  };
  await renewLatest({ db: records.database.db, ...rooms });
  await documents.keep(call(), AT_ONCE, {});
  await renewLatest({ db: records.database.db, ...rooms });
  expect(renewed).toEqual([]);
});

/** Its files are written before the call returns. */
const AT_ONCE: DocumentKind<{ note_id: string }> = {
  kind: "note",
  prefix: "NOTE",
  idField: "note_id",
  schema: z.strictObject({ note_id: z.string() }),
  fixity: "once",
  files: () => ({}),
};

const PACK = {
  created_for: { role: "planner", run_id: "r", task_ref: "T-a-b-c-001@1.0.0" },
  included_refs: [],
  excluded_refs: [],
} as const;
