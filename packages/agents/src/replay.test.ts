import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { entryPath } from "./cassette.ts";
import { replayProvider } from "./replay.ts";
import { NEVER, refusalOf, REQUEST, scratch } from "./testing/samples.ts";

const ENTRY = { role: "planner", subject: "greeting", attempt: "1", prompt_digest: null, output: { answer: 1 } };

function cassette(files: Readonly<Record<string, unknown>> = { "planner/greeting.1.json": ENTRY }): string {
  const folder = scratch("cassette");
  const all = { "cassette.json": { version: 1, created: "2026-11-15", description: "test" }, ...files };
  for (const [path, value] of Object.entries(all)) {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    writeFileSync(join(folder, path), typeof value === "string" || value instanceof Uint8Array ? value : JSON.stringify(value));
  }
  return folder;
}

const ask = async (folder: string, changes: Partial<typeof REQUEST> = {}, strict = false) =>
  (await replayProvider({ folder, strict })).invoke({ ...REQUEST, ...changes }, NEVER);

describe("a recorded answer", () => {
  test("is returned as text, with its cost", async () => {
    const usage = { input_tokens: 12, output_tokens: 3, cost_usd: 0.01, duration_ms: 900 };
    const folder = cassette({
      "planner/greeting.1.json": { ...ENTRY, usage, model: "big-1" },
      "planner/greeting.1.repair2.json": { ...ENTRY, output: undefined, text: "not json", repair: 2 },
      "builder/a%20b.2.1.json": { ...ENTRY, role: "builder", subject: "a b", attempt: "2.1", output: null },
      "planner/greeting.7.json": { ...ENTRY, attempt: 7 },
    });
    expect(await ask(folder)).toEqual({ text: '{"answer":1}', usage, model: "big-1", warnings: [] });
    expect(await ask(folder, { repair: 2 })).toMatchObject({ text: "not json", usage: { input_tokens: 0, cost_usd: 0 }, model: null });
    expect(await ask(folder, { role: "builder", subject: "a b", attempt: "2.1" })).toMatchObject({ text: "null" });
    expect(await ask(folder, { attempt: "7" })).toMatchObject({ text: '{"answer":1}' });
  });

  test("for another prompt is returned with a warning, and refused when strict", async () => {
    const folder = cassette({ "planner/greeting.1.json": { ...ENTRY, prompt_digest: "b".repeat(64) } });
    expect((await ask(folder)).warnings).toEqual([
      `${join(folder, "planner/greeting.1.json")} was recorded for another prompt (bbbbbbbbbbbb, now aaaaaaaaaaaa).`,
    ]);
    expect(await refusalOf(() => ask(folder, {}, true))).toMatchObject({
      code: "agent_failed",
      details: { retryable: false, expected_prompt_digest: "b".repeat(64) },
    });
    expect((await ask(folder, { promptDigest: "b".repeat(64) }, true)).warnings).toEqual([]);
  });
});

test("a missing answer names the expected file and the existing ones", async () => {
  const folder = cassette({ "planner/greeting.1.json": ENTRY, "qa/greeting.1.json": { ...ENTRY, role: "qa" } });
  const error = await refusalOf(() => ask(folder, { attempt: "2" }));
  expect(error).toMatchObject({
    code: "cassette_answer_missing",
    details: { file: join(folder, "planner/greeting.2.json"), available: ["planner/greeting.1.json", "qa/greeting.1.json"] },
  });
  expect(error.message).toContain("no answer of the planner for greeting (attempt 2)");
  expect((await refusalOf(() => ask(folder, { repair: 1 }))).message).toContain("(attempt 1, repair 1)");
  expect((await refusalOf(() => ask(cassette({})))).message).toContain("The cassette is empty.");
  expect((await refusalOf(() => ask(folder, { subject: "x".repeat(300) }))).code).toBe("cassette_answer_missing");
});

test("a missing cassette is reported before any call", async () => {
  const nowhere = join(scratch("cassette"), "nowhere");
  expect(await refusalOf(() => replayProvider({ folder: nowhere }))).toMatchObject({
    code: "cassette_missing",
    message: expect.stringContaining(nowhere),
  });
  const folder = cassette();
  rmSync(join(folder, "cassette.json"));
  expect((await refusalOf(() => replayProvider({ folder }))).code).toBe("cassette_missing");
  const inTheWay = cassette({ file: "text" });
  expect((await refusalOf(() => replayProvider({ folder: join(inTheWay, "file") }))).code).toBe("cassette_missing");
});

test("an unreadable answer is reported clearly", async () => {
  const folder = cassette({ "planner/greeting.1.json/inside.json": {} });
  const error = await refusalOf(() => ask(folder));
  expect(error).toMatchObject({ code: "cassette_missing", details: { file: join(folder, "planner/greeting.1.json") } });
  expect(error.message).not.toMatch(/EISDIR/);
});

describe("tampering", () => {
  test.each([
    ["a truncated file", '{"role":"plan', ""],
    ["bytes that are no text", Uint8Array.from([0xff, 0xfe]), undefined],
    ["a key twice", '{"role":"planner","role":"qa"}', ""],
    ["an unknown field", { ...ENTRY, extra: 1 }, "/extra"],
    ["neither text nor output", { ...ENTRY, output: undefined }, "/output"],
    ["both text and output", { ...ENTRY, text: "x" }, "/output"],
    ["another role", { ...ENTRY, role: "qa" }, "/role"],
    ["another subject", { ...ENTRY, subject: "other" }, "/subject"],
    ["another attempt", { ...ENTRY, attempt: "2" }, "/attempt"],
    ["another repair", { ...ENTRY, repair: 1 }, "/repair"],
    ["an invalid digest", { ...ENTRY, prompt_digest: "abc" }, "/prompt_digest"],
    ["a negative cost", { ...ENTRY, usage: { cost_usd: -1 } }, "/usage/cost_usd"],
    ["a list", [], ""],
  ])("%s is refused with file and field", async (_, content, field) => {
    const folder = cassette({ "planner/greeting.1.json": content });
    const error = await refusalOf(() => ask(folder));
    expect(error).toMatchObject({ code: "config_invalid", details: { file: join(folder, "planner/greeting.1.json") } });
    expect(error.details["field"]).toBe(field);
  });

  test.each([
    ["no JSON", "{"],
    ["another version", { version: 2, created: "", description: "" }],
    ["missing fields", { version: 1 }],
  ])("cassette.json with %s is refused", async (_, content) => {
    const folder = cassette({ "cassette.json": content });
    expect(await refusalOf(() => replayProvider({ folder }))).toMatchObject({
      code: "config_invalid",
      details: { file: join(folder, "cassette.json") },
    });
  });

  test("after any change of one byte it is the same answer, another valid one, or a clear refusal", async () => {
    const folder = cassette({ "planner/greeting.1.json": { ...ENTRY, usage: { input_tokens: 1 } } });
    const file = join(folder, "planner/greeting.1.json");
    const original = readFileSync(file);
    await fc.assert(
      fc.asyncProperty(fc.nat(original.length - 1), fc.nat(255), async (index, byte) => {
        const changed = Buffer.from(original);
        changed[index] = byte;
        writeFileSync(file, changed);
        const result = await ask(folder).catch((error: unknown) => error);
        if (result instanceof Error) expect(result).toMatchObject({ code: "config_invalid" });
        else expect(result).toHaveProperty("text");
      }),
      { numRuns: 300 },
    );
  });
});

test("no role, subject or attempt leads out of the cassette", () => {
  const nasty = fc
    .oneof(fc.constantFrom("..", ".", "../..", "/etc", "a/../../b", "\0", "%2e%2e"), fc.string())
    .filter((text) => text.isWellFormed());
  fc.assert(
    fc.property(nasty, nasty, nasty, fc.nat(3), (role, subject, attempt, repair) => {
      const path = entryPath({ role, subject, attempt, repair });
      expect(path.split("/").length).toBeLessThanOrEqual(2);
      expect(path.split("/")).not.toContain("..");
    }),
    { numRuns: 500 },
  );
  expect(entryPath({ role: "qa", subject: "s", attempt: "2", repair: 1 })).not.toBe(
    entryPath({ role: "qa", subject: "s", attempt: "2.1", repair: 0 }),
  );
});

test("a stop ends it", async () => {
  const provider = await replayProvider({ folder: cassette() });
  await expect(provider.invoke(REQUEST, AbortSignal.abort(new Error("stopped")))).rejects.toThrow("stopped");
});
