import { expect, test } from "vitest";
import { embeddingText, summaryOf } from "./entry.ts";
import { hashedModel } from "@slipway/agents/embeddings/hashed-model";
import { dot } from "./matrix.ts";
import { embedAll, embedOne } from "@slipway/agents/embeddings/model";
import { HELD_OUT, LABELLED, QUESTIONS } from "./testing/labelled-modules.ts";
import { stem, wordsOf } from "@slipway/agents/embeddings/words";

const modules = await embedAll(hashedModel, LABELLED.map(embeddingText));

/** The rank of the wanted module, from 1 on. */
async function ranks(questions: typeof QUESTIONS): Promise<number[]> {
  const queries = await embedAll(
    hashedModel,
    questions.map(([query]) => query),
  );
  return questions.map(([, name], number) => {
    const scores = modules.map((module, row) => ({ name: LABELLED[row]!.name, score: dot(queries[number]!, module) }));
    return scores.toSorted((left, right) => right.score - left.score).findIndex((one) => one.name === name) + 1;
  });
}

const within = (all: readonly number[], limit: number) => all.filter((rank) => rank <= limit).length / all.length;

// The numbers in the documentation. The vectors are deterministic, so these are exact.
test("the quality of the built-in model is as documented", async () => {
  const [known, unseen] = [await ranks(QUESTIONS), await ranks(HELD_OUT)];
  expect([within(known, 1), within(known, 5), within(known, 10)]).toEqual([0.78, 0.95, 0.99]);
  expect([within(unseen, 1), within(unseen, 5), within(unseen, 10)]).toEqual([0.26, 0.58, 0.72]);
});

test("different modules of one family are no duplicates, and a paraphrased one is", async () => {
  for (const [row, module] of modules.entries())
    for (const other of modules.slice(row + 1)) expect(dot(module, other)).toBeLessThan(hashedModel.levels.duplicate);
  const parse = LABELLED.find(({ name }) => name === "parse_iso_date")!;
  const again = { ...parse, purpose: "Parses a calendar date in ISO 8601 and rejects days which do not exist." };
  const [one, two] = await embedAll(hashedModel, [parse, again].map(embeddingText));
  expect(dot(one!, two!)).toBeGreaterThan(hashedModel.levels.duplicate);
});

test("the vectors are dense and deterministic", async () => {
  for (const module of modules) expect(module.filter((value) => value !== 0).length).toBeGreaterThan(192);
  expect(await embedOne(hashedModel, "Parses a date.")).toEqual(await embedOne(hashedModel, "Parses a date."));
});

test("every text has a vector, in any script and of any length", async () => {
  for (const text of ["", "...", "日付を解析する", "🙂", "ß", "a", "x".repeat(100_000)])
    expect(Math.hypot(...(await embedOne(hashedModel, text)))).toBeCloseTo(1, 5);
});

test("words of identifiers are split, and forms of a word match", () => {
  expect(wordsOf("parseISODate_v2 of the URLs").map((word) => word.stem)).toEqual(["pars", "iso", "dat", "v", "2", "url"]);
  expect(new Set(["parse", "parses", "parsed", "parser", "parsing"].map(stem)).size).toBe(1);
  expect(new Set(["validate", "validation", "validator", "validates"].map(stem)).size).toBe(1);
  expect(new Set(["category", "categories"].map(stem)).size).toBe(1);
  expect(wordsOf("the module").map(({ weight }) => weight)).toEqual([0.25]);
});

test("the summary of a contract names inputs and outputs with their types", () => {
  const summary = summaryOf({
    inputs: [{ name: "text", type: "string" }],
    outputs: [{ name: "date", type: "CalendarDate" }],
    error_surfaces: [{ name: "InvalidDate" }],
    effects: [{ type: "WRITE", target: "log" }],
    modes: { sync: true, async: false },
  });
  expect(summary).toEqual({
    inputs: ["text: string"],
    outputs: ["date: CalendarDate"],
    error_surfaces: ["InvalidDate"],
    effects: ["WRITE log"],
    modes: ["sync"],
  });
});
