import type { LanguageAdapter } from "@slipway/languages/adapter";
import { typescriptAdapter } from "@slipway/languages/typescript/adapter";
import { describe, expect, test } from "vitest";
import { loadCatalog } from "../catalog/load-catalog.ts";
import { guardAgainst } from "./guards.ts";
import { spliceFunction } from "./splice.ts";
import { python } from "./testing/adapters.ts";

const { catalog, patterns, smells } = await loadCatalog();
const typescript = typescriptAdapter();

const LANGUAGES: readonly (readonly [string, LanguageAdapter])[] = [
  ["TypeScript", typescript],
  ["Python", python],
];

function example(template: string, heading: string): string {
  const [, code = ""] = new RegExp(`^${heading}:\\n\`\`\`\\w+\\n([\\s\\S]*?)\\n\`\`\`$`, "m").exec(template) ?? [];
  return `${code}\n`;
}

describe.each(LANGUAGES)("examples in %s", (title, language) => {
  test.each(patterns.map(({ id }) => id))("of %s: the code after it is an answer that is accepted for the code before it", (id) => {
    const pattern = catalog.getPattern(id);
    const template = pattern?.prompt.template ?? "";
    const before = language.parseAst(example(template, `BEFORE \\(${title}\\)`));
    const after = example(template, `AFTER \\(${title}\\)`);
    const [target] = before.functions;
    const [whole = "", ...declarations] = after.trim().split(/\n\n+(?=\S)/);
    const answer = { outcome: "transformed" as const, function: whole, declarations };
    const spliced = spliceFunction(language, before, target?.name ?? "", answer, pattern?.risk ?? 1);
    expect(spliced).toMatchObject({ text: expect.any(String) });
    expect(declarations.length > 0).toBe(pattern?.risk === 3);
    const { start, end } = target?.body ?? { start: 0, end: 0 };
    expect(pattern === null ? null : guardAgainst(pattern, before.text.slice(start, end), language.id)).toBeNull();
  });
});

/** The others are for larger functions than those of the examples, or for smells that a person sees first. */
const DETECTED = [
  "early-return",
  "guard-clause",
  "extract-magic-value",
  "loop-to-map",
  "nullish-coalescing",
  "remove-unreachable",
  "remove-unused-binding",
];

test.each(DETECTED)("the analyser of TypeScript finds a smell of %s before it, and none after it", (id) => {
  const template = catalog.getPattern(id)?.prompt.template ?? "";
  const addressed = smells
    .filter(({ applicablePatterns }) => applicablePatterns.some(({ patternId }) => patternId === id))
    .map((smell) => smell.id);
  const found = (heading: string) => {
    const ast = typescript.parseAst(example(template, `${heading} \\(TypeScript\\)`));
    return catalog
      .rate(typescript.smells(ast, ast.functions[0]?.name ?? ""))
      .map(({ smellId }) => smellId)
      .filter((smell) => addressed.includes(smell));
  };
  expect(found("BEFORE").length).toBeGreaterThan(0);
  expect(found("AFTER")).toEqual([]);
});
