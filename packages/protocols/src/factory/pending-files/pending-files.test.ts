import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { storePaths } from "../artifacts/layout.ts";
import { notePending, restorePending } from "./pending-files.ts";
import { openFactoryStores } from "../stores.ts";
import { factoryRecords } from "../testing/factory-records.ts";

const PACK = {
  created_for: { role: "planner", run_id: "r", task_ref: "T-a-b-c-001@1.0.0" },
  included_refs: [],
  excluded_refs: [],
} as const;
const LONG = 121_000;

async function projectStore() {
  const made = await factoryRecords();
  const { db } = made.records.database;
  const stores = openFactoryStores(made.records, { durability: "relaxed" });
  const pack = async () => (await stores.store.keepContextPack(made.call(), PACK)).context_pack_id;
  const pending = async () => (await db.selectFrom("files_pending").select("id").orderBy("id").execute()).map(({ id }) => id);
  const restore = (later = 0) => restorePending({ db, clock: { now: () => Date.now() + later }, ...stores });
  return { ...made, db, stores, pack, pending, restore, fileOf: (path: string) => join(made.folder, path) };
}

test("recent files that a power cut has emptied are rewritten; older ones are not checked", async () => {
  const { db, stores, pack, restore, fileOf, call } = await projectStore();
  const early = await pack();
  await db.updateTable("files_pending").set({ written_at: 0 }).execute();
  const late = await pack();
  const round = { debate: "CTR-0a1b2c3d", round: 1, files: { "witnesses.json": [] } };
  await stores.store.keepRound(call(), round);
  const by = { created_by: { role: "planner", run_id: "r" }, context_pack_ref: early } as const;
  const made = await stores.artifacts.create(call(), { ...by, artifact_type: "EXAMPLES", pillar: "core", body: { "notes.md": "one\n" } });
  const body = fileOf(`${storePaths.artifact("core", made.artifact_id, made.version)}/body/notes.md`);
  const witnesses = fileOf(`${storePaths.debateRound("CTR-0a1b2c3d", 1)}/witnesses.json`);
  const files = [fileOf(storePaths.contextPack(late)), witnesses, body];
  const texts = files.map((file) => readFileSync(file, "utf8"));
  writeFileSync(files[0]!, "");
  rmSync(files[1]!);
  writeFileSync(files[2]!, "");
  writeFileSync(fileOf(storePaths.contextPack(early)), "");
  await restore();
  expect(files.map((file) => readFileSync(file, "utf8"))).toEqual(texts);
  expect(readFileSync(fileOf(storePaths.contextPack(early)), "utf8")).toBe("");
});

test("a file stays pending until the system has surely written it; a rewritten one is pending again", async () => {
  const { pack, pending, restore, fileOf } = await projectStore();
  const [kept, emptied] = [await pack(), await pack()];
  await restore();
  expect(await pending()).toEqual([kept, emptied].toSorted());
  writeFileSync(fileOf(storePaths.contextPack(emptied)), "");
  await restore(LONG);
  expect(await pending()).toEqual([emptied]);
  await restore(2 * LONG);
  expect(await pending()).toEqual([]);
});

test("the row is part of its transaction, and older ones are deleted with the next", async () => {
  const { db, pending } = await projectStore();
  await db.transaction().execute((tx) => notePending(tx, "context_pack", "a", 1_000));
  const failing = db.transaction().execute(async (tx) => {
    await notePending(tx, "context_pack", "b", 1_000 + LONG);
    throw new Error("no");
  });
  await expect(failing).rejects.toThrow("no");
  expect(await pending()).toEqual(["a"]);
  await db.transaction().execute((tx) => notePending(tx, "context_pack", "c", 1_000 + LONG));
  expect(await pending()).toEqual(["c"]);
});

test("nothing is pending if files are synced at once", async () => {
  const { records, call, pending, restore } = await projectStore();
  await openFactoryStores(records).store.keepContextPack(call(), PACK);
  expect(await pending()).toEqual([]);
  await restore();
});
