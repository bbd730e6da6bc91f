import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { nodeFileSystem } from "../../host/files/file-system.ts";
import { readPage, REPOSITORY_STREAM } from "../journal/repository.ts";
import { openBench, type Bench } from "../operations/testing/door.ts";
import { openDocuments, type Documents } from "./documents.ts";
import { jsonText, type DocumentKind } from "./kind.ts";

const noteSchema = z.strictObject({ note_id: z.string().regex(/^NOTE-[0-9a-f]{8}$/), text: z.string().min(1), seen: z.array(z.string()) });
type Note = z.output<typeof noteSchema>;
const note: DocumentKind<Note> = {
  kind: "note",
  prefix: "NOTE",
  idField: "note_id",
  schema: noteSchema,
  fixity: "once",
  files: (id, body) => ({ [`notes/${id}.json`]: jsonText(body) }),
};
const diary: DocumentKind<Note> = { ...note, kind: "diary", fixity: "revised" };

let bench: Bench;
let documents: Documents;
let ids: string[];
beforeEach(async () => {
  bench = await openBench();
  ids = ["0000000a-", "0000000b-", "0000000c-"];
  const uuid = () => ids.shift() ?? crypto.randomUUID();
  documents = openDocuments({ ...bench, fs: nodeFileSystem, folder: join(bench.folder, "store"), uuid });
});
afterEach(() => bench.close());

const call = (operationId: string) => ({ actor: { type: "system", id: "test" } as const, operationId });
const fileOf = (id: string) => join(bench.folder, "store", "notes", `${id}.json`);

test("a document gets its id, is on disk when it is stored, and the same call stores it once", async () => {
  const body = { text: "one", seen: [] };
  const kept = await documents.keep(call("a"), note, body);
  expect(kept).toEqual({ note_id: "NOTE-0000000a", ...body });
  expect(await documents.keep(call("a"), note, body)).toEqual(kept);
  expect(JSON.parse(readFileSync(fileOf("NOTE-0000000a"), "utf8"))).toEqual(kept);
  expect(await documents.list(note)).toEqual([kept]);
  expect(await documents.get(note, "NOTE-0000000a")).toEqual(kept);
});

test("an id is never assigned twice", async () => {
  await documents.keep(call("a"), note, { text: "one", seen: [] });
  ids.unshift("0000000a-");
  expect((await documents.keep(call("b"), note, { text: "two", seen: [] })).note_id).toBe("NOTE-0000000b");
});

describe("an invalid body is not stored", () => {
  test.each([
    ["a field of another type", { text: 7, seen: [] }, "/text"],
    ["a missing field", { text: "one" }, "/seen"],
    ["an unknown field", { text: "one", seen: [], more: 1 }, "/more"],
    ["an id in the body", { text: "one", seen: [], note_id: "NOTE-0000000f" }, "contains a note_id"],
  ])("%s", async (_case, body, said) => {
    await expect(documents.keep(call("a"), note, body)).rejects.toThrow(said);
    expect(await documents.list(note)).toEqual([]);
  });

  test("nor is a revision that violates the schema, or one of an immutable or missing record", async () => {
    const { note_id } = await documents.keep(call("a"), note, { text: "one", seen: [] });
    await expect(documents.revise(call("b"), note, note_id, "two", (body) => ({ ...body, text: "two" }))).rejects.toMatchObject({
      code: "policy_violation",
      details: { immutable: true },
    });
    const entry = await documents.keep(call("c"), diary, { text: "one", seen: [] });
    await expect(documents.revise(call("d"), diary, entry.note_id, "", (body) => ({ ...body, text: "" }))).rejects.toThrow("/text");
    await expect(documents.revise(call("e"), diary, "NOTE-0000000f", "x", (body) => body)).rejects.toMatchObject({
      code: "input_path_not_found",
    });
    await expect(documents.get(note, "NOTE-0000000f")).rejects.toThrow("There is no note");
    expect(await documents.find(note, "NOTE-0000000f")).toBeNull();
    expect([await documents.get(note, note_id), await documents.get(diary, entry.note_id)]).toMatchObject([
      { text: "one" },
      { text: "one" },
    ]);
  });
});

test("a revision is computed once, the earlier body stays recorded, and the journal has both", async () => {
  const { note_id } = await documents.keep(call("a"), diary, { text: "one", seen: [] });
  const see = (body: Note) => ({ ...body, seen: [...body.seen, "me"] });
  await documents.revise(call("b"), diary, note_id, "seen", see);
  expect(await documents.revise(call("b"), diary, note_id, "seen", see)).toMatchObject({ seen: ["me"] });
  const rows = await bench.db.selectFrom("documents").select(["revision", "body"]).orderBy("revision").execute();
  expect(rows.map(({ body }) => (JSON.parse(body) as Note).seen)).toEqual([[], ["me"]]);
  const { events } = await readPage(bench.db, REPOSITORY_STREAM);
  expect(events.map(({ name }) => name)).toEqual(["diary.keep", "diary.revise"]);
});

test("a record about another one has its id, and there is only one", async () => {
  const about: DocumentKind<Note> = { ...diary, kind: "about", prefix: null };
  const { note_id } = await documents.keep(call("a"), note, { text: "one", seen: [] });
  await documents.keep(call("b"), about, { note_id, text: "about one", seen: [] });
  await expect(documents.keep(call("c"), about, { note_id, text: "again", seen: [] })).rejects.toMatchObject({ code: "policy_violation" });
  await expect(documents.keep(call("d"), about, { text: "about nothing", seen: [] })).rejects.toThrow("/note_id");
  expect(await documents.get(about, note_id)).toMatchObject({ text: "about one" });
});

test("edited or missing files are rewritten from the rows", async () => {
  const one = await documents.keep(call("a"), note, { text: "one", seen: [] });
  const two = await documents.keep(call("b"), note, { text: "two", seen: [] });
  writeFileSync(fileOf(one.note_id), "{}");
  rmSync(fileOf(two.note_id));
  const fresh = openDocuments({ ...bench, fs: nodeFileSystem, folder: join(bench.folder, "store") });
  expect(await fresh.repair(note)).toBe(2);
  expect(JSON.parse(readFileSync(fileOf(one.note_id), "utf8"))).toEqual(one);
  expect(await fresh.repair(note)).toBe(0);
});

test.each([
  ["short", "one"],
  // Read before, and cached.
  ["long", "one ".repeat(2_000)],
])("a %s row that was changed by hand is refused everywhere, with a next action", async (_, text) => {
  const { note_id } = await documents.keep(call("a"), note, { text, seen: [] });
  expect(await documents.get(note, note_id)).toMatchObject({ text });
  expect(await documents.get(note, note_id)).toMatchObject({ text });
  await bench.db
    .updateTable("documents")
    .set({ body: JSON.stringify({ note_id, text: "other", seen: [] }) })
    .where("id", "=", note_id)
    .execute();
  for (const look of [() => documents.get(note, note_id), () => documents.find(note, note_id), () => documents.list(note)]) {
    await expect(look()).rejects.toMatchObject({ code: "database_corrupt", message: expect.stringContaining(note_id) });
  }
});

test("several are stored at once: all of them, under one call, or none", async () => {
  const bodies = [
    { text: "one", seen: [] },
    { text: "two", seen: [] },
  ];
  const kept = await documents.keepAll(call("a"), note, bodies);
  expect(kept.map(({ note_id, text }) => [note_id, text])).toEqual([
    ["NOTE-0000000a", "one"],
    ["NOTE-0000000b", "two"],
  ]);
  expect(await documents.keepAll(call("a"), note, bodies)).toEqual(kept);
  expect(JSON.parse(readFileSync(fileOf("NOTE-0000000b"), "utf8"))).toEqual(kept[1]);
  await expect(
    documents.keepAll(call("b"), note, [
      { text: "three", seen: [] },
      { text: "", seen: [] },
    ]),
  ).rejects.toThrow("/text");
  expect(await documents.list(note)).toEqual(kept);
  expect((await readPage(bench.db, REPOSITORY_STREAM)).events.map(({ name }) => name)).toEqual(["note.keep_all"]);
});

test("the files of one are rewritten, with or without fsync", async () => {
  const loose = { ...note, loose: true } as const;
  const { note_id } = await documents.keep(call("a"), loose, { text: "one", seen: [] });
  writeFileSync(fileOf(note_id), "");
  expect(await documents.renew(loose, note_id)).toBe(1);
  expect(await documents.renew(loose, note_id)).toBe(0);
  expect(JSON.parse(readFileSync(fileOf(note_id), "utf8"))).toMatchObject({ text: "one" });
});

test("records of kinds without fsync are noted in their transaction, and others are not", async () => {
  const noted: string[] = [];
  const pending = async (_tx: unknown, kind: string, id: string) => void noted.push(`${kind} ${id}`);
  const unsynced = openDocuments({ ...bench, fs: nodeFileSystem, folder: join(bench.folder, "store"), pending });
  const loose = { ...note, loose: true, fixity: "revised" } as const;
  const one = await unsynced.keep(call("a"), loose, { text: "one", seen: [] });
  await unsynced.keep(call("b"), note, { text: "two", seen: [] });
  const [three] = await unsynced.keepAll(call("c"), loose, [{ text: "three", seen: [] }]);
  await unsynced.revise(call("d"), loose, one.note_id, null, (kept) => ({ ...kept, text: "four" }));
  expect(noted).toEqual([one, three!, one].map(({ note_id }) => `note ${note_id}`));
  expect(JSON.parse(readFileSync(fileOf(one.note_id), "utf8"))).toMatchObject({ text: "four" });
});
