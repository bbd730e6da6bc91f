import { languageAdapter } from "@slipway/languages/adapters";
import { expect, test } from "vitest";
import { parseContract } from "@slipway/languages/micro-contracts/parse";
import type { Lattice } from "../lattice/lattice.ts";
import { keepText, planKeeping } from "./keep-bodies.ts";

const language = await languageAdapter("typescript", { env: process.env });
const PATH = "src/domain/money.ts";
const text = (clause: string, type = "number", body = "return a * 2;") =>
  `/**\n * ENSURES: ${clause}\n */\nexport function double(a: ${type}): number {\n  ${body}\n}\n`;

function latticeOf(source: string): Lattice {
  const functions = language.parseAst(source).functions.map(({ name, signature, doc, docLine }) => ({
    id: `${PATH}#${name}`,
    path: PATH,
    name,
    signature,
    contract: { clauses: parseContract(doc ?? "", docLine, null).clauses },
    calls: [],
  }));
  return { tree: { [PATH]: source }, functions, witnesses: [] };
}

const hole = (clause: string, type?: string) => latticeOf(text(clause, type, language.hole));
const earlier = { [PATH]: text("result === a * 2") };

test("[CRI-191] a function with the same signature and contract keeps its accepted body", () => {
  const plan = planKeeping(hole("result === a * 2"), earlier, language);
  expect(plan).toEqual({ kept: { [`${PATH}#double`]: "return a * 2;" }, changed: [], added: [] });
});

test.each([
  ["contract", hole("result === a + a")],
  ["signature", hole("result === a * 2", "bigint")],
])("[CRI-191] a changed %s loses the body", (_what, lattice) => {
  expect(planKeeping(lattice, earlier, language)).toEqual({ kept: {}, changed: [`${PATH}#double`], added: [] });
});

test("[CRI-191] a new function and an earlier hole have nothing to keep", () => {
  const before = { [PATH]: text("result === a * 2", "number", language.hole) };
  expect(planKeeping(hole("result === a * 2"), before, language).added).toEqual([`${PATH}#double`]);
});

test("a file that does not parse any more is written anew", () => {
  expect(planKeeping(hole("result === a * 2"), { [PATH]: "export function (" }, language).added).toHaveLength(1);
});

test("[CRI-191] the plan says what is kept, changed and new", () => {
  expect(keepText({ kept: { a: "" }, changed: ["b", "c"], added: [] })).toBe(
    "1 functions are unchanged and keep their bodies, 2 have changed, 0 are new",
  );
});
