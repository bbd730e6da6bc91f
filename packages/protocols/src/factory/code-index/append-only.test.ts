import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readPage, REPOSITORY_STREAM } from "@slipway/kernel/record/journal/repository";
import { INDEX_STATUSES } from "./entry.ts";
import { asSystem, entry, openScratchIndex, type ScratchIndex } from "./testing/scratch-index.ts";

let scratch: ScratchIndex;
beforeEach(async () => {
  scratch = await openScratchIndex();
});
afterEach(() => scratch.close());

const deprecated = { status: "DEPRECATED", superseded_by: null, note: "Use something else." } as const;

describe("[FAC-180] append-only", () => {
  test("a module version has one entry, also after repeated calls, and the first entry does not change", async () => {
    const { index } = scratch;
    const first = entry("parse", { purpose: "The first." });
    await index.append(asSystem("ship parse"), first);
    await expect(index.append(asSystem(), { ...first, purpose: "Another." })).rejects.toMatchObject({
      code: "policy_violation",
      details: { module_ref: "MM-parse@1.0.0", rule: "append_only", suggested_next_actions: [expect.stringContaining("new version")] },
    });
    // A ship step that is repeated after a crash has the id of the first call.
    expect(await index.append(asSystem("ship parse"), first)).toEqual({ module_ref: "MM-parse@1.0.0", position: 1 });
    expect(await index.snapshot()).toEqual([first]);
    await index.append(asSystem(), entry("parse", { version: "1.0.1" }));
    expect((await index.versionsOf("MM-parse")).map(({ version }) => version)).toEqual(["1.0.0", "1.0.1"]);
  });

  test("the database refuses to change or delete entries", async () => {
    await scratch.ship(entry("parse"));
    await scratch.index.retire(asSystem(), { module_ref: "MM-parse@1.0.0", ...deprecated });
    const attempts = [
      "DELETE FROM code_index_entries",
      "UPDATE code_index_entries SET version = '9.9.9'",
      "DELETE FROM code_index_retirements",
      "UPDATE code_index_retirements SET status = 'SHIPPED'",
      "DELETE FROM code_index_models",
      "UPDATE code_index_models SET model = 'other'",
      "INSERT INTO code_index_retirements (position, status, note, at) VALUES (1, 'SUPERSEDED', 'again', 0)",
    ];
    for (const attempt of attempts) await expect(sql.raw(attempt).execute(scratch.db)).rejects.toThrow(/append-only|UNIQUE/);
    expect(await scratch.index.find("MM-parse@1.0.0")).toMatchObject({ status: "DEPRECATED", version: "1.0.0" });
  });

  test("planners, builders and QA cannot write", async () => {
    for (const type of ["planner", "builder", "qa", "person"] as const)
      await expect(scratch.index.append({ actor: { type, id: "x" }, operationId: type }, entry("parse"))).rejects.toMatchObject({
        code: "forbidden_tool_for_role",
      });
    expect(await scratch.index.snapshot()).toEqual([]);
  });

  test("every write is in the journal", async () => {
    await scratch.ship(entry("parse"));
    await scratch.index.retire(asSystem(), { module_ref: "MM-parse@1.0.0", ...deprecated });
    const { events } = await readPage(scratch.db, REPOSITORY_STREAM);
    expect(events.map(({ name }) => name)).toEqual(["code_index.append", "code_index.retire"]);
  });
});

describe("[FAC-184] an entry", () => {
  test.each([
    ["module_id", "parse"],
    ["version", "1.0"],
    ["name", " "],
    ["purpose", ""],
    ["contract_ref", ""],
    ["examples_ref", ""],
    ["ship_ref", ""],
    ["tags", "text"],
    ["io_summary", { inputs: [], outputs: [], error_surfaces: [], effects: [] }],
    ["dependencies", ["parse@1.0.0"]],
    ["status", "DEPRECATED"],
    ["superseded_by", "MM-other@1.0.0"],
    ["owner", "somebody"],
  ])("is refused with %s = %j", async (field, value) => {
    const call = scratch.index.append(asSystem(), { ...entry("parse"), [field]: value });
    await expect(call).rejects.toMatchObject({ code: "schema_validation_failed" });
    await expect(call).rejects.toThrow(`/${field}`);
    expect(await scratch.index.snapshot()).toEqual([]);
  });

  test("is read back with every field, and begins as SHIPPED", async () => {
    const full = entry("parse", { tags: ["text"], dependencies: ["MM-lex@^1.0.0"], notes: "From the second debate." });
    await scratch.ship(full);
    expect(await scratch.index.find("MM-parse@1.0.0")).toEqual({
      ...full,
      status: "SHIPPED",
      superseded_by: null,
      notes: "From the second debate.",
    });
    expect(await scratch.index.find("MM-parse@2.0.0")).toBeNull();
    expect(await scratch.index.find("MM-parse")).toBeNull();
  });
});

describe("[FAC-185] statuses", () => {
  test("only SHIPPED changes, once, with a successor and a note", async () => {
    const { index } = scratch;
    await scratch.ship(entry("old", { notes: "Shipped." }), entry("gone"), entry("new"));
    const before = await index.find("MM-old@1.0.0");
    await index.retire(asSystem(), { module_ref: "MM-old@1.0.0", status: "SUPERSEDED", superseded_by: "MM-new@1.0.0", note: "Moved on." });
    await index.retire(asSystem(), { module_ref: "MM-gone@1.0.0", ...deprecated });
    expect(await index.find("MM-old@1.0.0")).toEqual({
      ...before,
      status: "SUPERSEDED",
      superseded_by: "MM-new@1.0.0",
      notes: "Shipped.\nMoved on.",
    });
    expect(await index.find("MM-gone@1.0.0")).toMatchObject({ status: "DEPRECATED", superseded_by: null, notes: "Use something else." });
    for (const module_ref of ["MM-old@1.0.0", "MM-gone@1.0.0"])
      for (const status of INDEX_STATUSES)
        await expect(
          index.retire(asSystem(), { module_ref, status: status as "DEPRECATED", superseded_by: "MM-new@1.0.0", note: "Again." }),
        ).rejects.toMatchObject({ code: status === "SHIPPED" ? "schema_validation_failed" : "invalid_status_transition" });
    expect((await index.snapshot()).map(({ status }) => status)).toEqual(["SUPERSEDED", "DEPRECATED", "SHIPPED"]);
  });

  test("a successor must be another module version in use", async () => {
    const { index } = scratch;
    await scratch.ship(entry("old"), entry("gone"));
    await index.retire(asSystem(), { module_ref: "MM-gone@1.0.0", ...deprecated });
    const attempt = (superseded_by: string | null, module_ref = "MM-old@1.0.0") =>
      index.retire(asSystem(), { module_ref, status: "SUPERSEDED", superseded_by, note: "Moved on." });
    await expect(attempt(null)).rejects.toThrow("MM-old@1.0.0 cannot be SUPERSEDED without a successor");
    await expect(attempt("MM-old@1.0.0")).rejects.toThrow("nothing can succeed itself");
    await expect(attempt("MM-gone@1.0.0")).rejects.toThrow("its status is DEPRECATED");
    await expect(attempt("MM-none@1.0.0")).rejects.toThrow("MM-none@1.0.0 is not in the code index");
    await expect(attempt("MM-gone@1.0.0", "MM-none@1.0.0")).rejects.toThrow("MM-none@1.0.0 is not in the code index");
    expect((await index.find("MM-old@1.0.0"))?.status).toBe("SHIPPED");
  });
});

test("dependants of a version are found by the ranges of their dependencies", async () => {
  await scratch.ship(
    entry("lex", { version: "1.4.0" }),
    entry("caret", { dependencies: ["MM-lex@^1.2.0"] }),
    entry("exact", { dependencies: ["MM-other@1.0.0", "MM-lex@1.4.0"] }),
    entry("later", { dependencies: ["MM-lex@^2.0.0"] }),
    entry("other", { dependencies: ["MM-lexer@1.4.0"] }),
  );
  const names = async (ref: string) => (await scratch.index.dependentsOf(ref)).map(({ name }) => name);
  expect(await names("MM-lex@1.4.0")).toEqual(["caret", "exact"]);
  expect(await names("MM-lex@2.1.0")).toEqual(["later"]);
  expect(await names("MM-none@1.0.0")).toEqual([]);
});

test("[FAC-179] a snapshot is a copy: later changes affect neither the other", async () => {
  await scratch.ship(entry("one"));
  const snapshot = await scratch.index.snapshot();
  await scratch.ship(entry("two"));
  (snapshot as unknown as { name: string }[])[0]!.name = "changed";
  expect((await scratch.index.snapshot()).map(({ name }) => name)).toEqual(["one", "two"]);
  expect(snapshot).toHaveLength(1);
});
