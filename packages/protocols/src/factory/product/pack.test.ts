import { createPack } from "@slipway/agents/pack";
import { buildPrompt } from "@slipway/agents/prompt";
import { countTokens } from "gpt-tokenizer";
import { describe, expect, test } from "vitest";
import { protocolRole } from "../../dispatch/roles.ts";
import { instructionsIn, repetitions } from "../../testing/repetition.ts";
import { packOf } from "./pack.ts";
import { INSTRUCTIONS } from "./refine.ts";
import { afterCall, freshDraft, nextRound, type SpecDraft } from "./spec-draft.ts";
import { toolCalls, type ProductToolCall } from "./tools/calls.ts";

const called = (draft: SpecDraft, call: ProductToolCall, output: unknown) => afterCall(nextRound(draft), call, { ok: true, output });
const section = (draft: SpecDraft, title: string) => packOf(nextRound(draft)).sections.find((one) => one.title === title)?.text;
const read = (path: string): ProductToolCall => ({ tool: "read_file", path });

describe("a pack", () => {
  test("has the last results in full, earlier ones shortened, and of the oldest only the calls", () => {
    let draft = freshDraft(1, "SPEC.md", "text");
    for (let index = 1; index <= 50; index++) draft = called(draft, read(`${index}.md`), { content: "x".repeat(6_000) });
    expect(section(draft, "last tool results")).toHaveLength('[50] read_file {"path":"50.md"}\n{"content":""}'.length + 6_000);
    const history = section(draft, "earlier calls")?.split("\n") ?? [];
    expect(history.slice(0, 9)).toEqual(Array.from({ length: 9 }, (_, index) => `[${index + 1}] read_file {"path":"${index + 1}.md"}`));
    expect(history[10]).toMatch(/^\{"content":"x+…$/);
    expect(Math.max(...history.map(({ length }) => length))).toBeLessThanOrEqual(4_001);
  });

  test("has drafts, newest first, as far as they fit; a spec or a file in a call is not shown twice", () => {
    let draft = freshDraft(1, "SPEC.md", "text");
    for (const path of ["a.json", "b.json", "c.json"])
      draft = called(draft, { tool: "write_file", path, content: path.repeat(40_000) }, { success: true });
    const drafts = packOf(nextRound(draft)).sections.filter(({ kind }) => kind === "draft");
    expect(drafts.map(({ title, text }) => [title, text.length])).toEqual([
      ["c.json", 240_000],
      ["b.json", 240_000],
      ["a.json", "(240000 characters; read_file shows them)".length],
    ]);
    expect(section(draft, "last tool results")).toBe('[3] write_file {"path":"c.json","content":"(…)"}\n{"success":true}');
  });
});

test("the prompt of the product owner is short and has no repetition", async () => {
  const role = await protocolRole("factory", "product-owner", async () => null);
  const { system, text } = buildPrompt({ role, subject: "ledger", pack: createPack([]), instructions: INSTRUCTIONS, schema: toolCalls });
  const [task = "", schema = ""] = text.split(/(?<=JSON Schema:)\n/);
  expect(countTokens(system)).toBeLessThanOrEqual(350);
  expect(countTokens(task)).toBeLessThanOrEqual(150);
  const described = [...schema.matchAll(/"description": "([^"]+)"/g)].flatMap(([, said = ""]) => instructionsIn(said));
  expect(repetitions([instructionsIn(system), instructionsIn(task), described])).toEqual([]);
});
