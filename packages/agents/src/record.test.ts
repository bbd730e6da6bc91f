import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SlipwayError } from "./errors.ts";
import { expect, test } from "vitest";
import { z } from "zod";
import { invoke } from "./invoke.ts";
import { createPack } from "./pack.ts";
import { cassetteWriter, entryMaker, type EntryMaker } from "./record.ts";
import { replayProvider } from "./replay.ts";
import { NEVER, PLANNER, refusalOf, REQUEST, scratch, scripted, tickingClock, type Scripted } from "./testing/samples.ts";

const schema = z.strictObject({ answer: z.number() });
const question = { role: PLANNER, subject: "greeting", attempt: "1", pack: createPack([]), instructions: "Answer.", schema };

async function recorded(answers: readonly Scripted[], meanwhile: (tape: EntryMaker) => unknown = () => undefined) {
  const folder = join(scratch("recorded"), "deep", "cassette");
  const tape = entryMaker({ role: "planner", subject: "greeting", attempt: "1" });
  const result = await invoke({ ...question, provider: scripted(...answers), clock: tickingClock(), watch: tape.watch });
  await meanwhile(tape);
  await cassetteWriter({ folder, description: "a recording", clock: tickingClock() }).write(tape.entries());
  return { folder, result };
}

const replayed = async (folder: string) =>
  invoke({ ...question, provider: await replayProvider({ folder, strict: true }), clock: tickingClock() });

test("a recording is replayed with its repairs, its cost and without drift", async () => {
  const { folder, result } = await recorded(["not json", '{ "answer": "one" }', '{"answer":1}']);
  expect(await replayed(folder)).toEqual(result);
  expect(readdirSync(join(folder, "planner")).toSorted()).toEqual([
    "greeting.1.json",
    "greeting.1.repair1.json",
    "greeting.1.repair2.json",
  ]);
  const entry = (name: string) => JSON.parse(readFileSync(join(folder, "planner", name), "utf8")) as Record<string, unknown>;
  expect(entry("greeting.1.json")).toMatchObject({ text: "not json", usage: { duration_ms: 10 } });
  expect(entry("greeting.1.repair1.json")).toMatchObject({ text: '{ "answer": "one" }' });
  expect(entry("greeting.1.repair2.json")).toMatchObject({ output: { answer: 1 }, model: "scripted-1" });
  expect(JSON.parse(readFileSync(join(folder, "cassette.json"), "utf8"))).toEqual({
    version: 1,
    created: "2023-11-14T22:13:20.000Z",
    description: "a recording",
  });
  expect(readdirSync(folder, { recursive: true }).filter((name) => String(name).includes(".tmp"))).toEqual([]);
});

test.each(['{"answer":1}', '{ "answer": 1 }', "not json", '"x"', '{"a":1,"a":2}', '{"10":1,"2":0}'])(
  "%s is replayed unchanged",
  async (text) => {
    const { folder } = await recorded([text, '{"answer":1}']);
    const replay = await replayProvider({ folder });
    expect(await replay.invoke({ ...REQUEST, promptDigest: "" }, NEVER)).toMatchObject({ text });
  },
);

test("if the harness made the output itself, the cassette has that, once, with the total cost", async () => {
  const { folder } = await recorded(['{"answer":"no"}', '{"answer":1}'], (tape) => tape.watch({ kind: "output", output: { answer: 7 } }));
  expect(readdirSync(join(folder, "planner"))).toEqual(["greeting.1.json"]);
  expect(await replayed(folder)).toMatchObject({
    ok: true,
    output: { answer: 7 },
    usage: { calls: 1, input_tokens: 200, output_tokens: 20, cost_usd: 1, duration_ms: 20 },
  });
});

test("rejections by the harness and refusals of an agent are replayed as such", async () => {
  const failure = { code: "patch_rejected", message: "Nothing changed.", details: { retryable: false } };
  const rejected = await recorded(['{"answer":1}'], (tape) => tape.watch({ kind: "rejected", failure }));
  expect(await replayed(rejected.folder)).toMatchObject({ ok: false, failure });
  const usage = { input_tokens: 0, output_tokens: 0, cost_usd: 0, duration_ms: 77 };
  const { folder, result } = await recorded([{ text: "no", usage }, new SlipwayError("agent_refused", "I would rather not.")]);
  expect(result).toMatchObject({ ok: false, failure: { code: "agent_refused" } });
  expect(await replayed(folder)).toMatchObject({ ok: false, failure: { code: "agent_refused", message: "I would rather not." } });
  expect((await (await replayProvider({ folder })).invoke(REQUEST, NEVER)).usage).toEqual(usage);
});

test("recording a cassette again keeps its description", async () => {
  const folder = scratch("recorded");
  const about = '{"version":1,"created":"then","description":"ours"}';
  writeFileSync(join(folder, "cassette.json"), about);
  await cassetteWriter({ folder, description: "another", clock: tickingClock() }).write([]);
  expect(readFileSync(join(folder, "cassette.json"), "utf8")).toBe(about);
});

test("a folder that cannot be written is reported clearly", async () => {
  const folder = join(scratch("recorded"), "file");
  writeFileSync(folder, "in the way");
  const writer = cassetteWriter({ folder, description: "", clock: tickingClock() });
  expect((await refusalOf(() => writer.write([]))).code).toBe("io_error");
});
