import { SlipwayError } from "@slipway/agents/errors";
import type { LanguageAdapter } from "@slipway/languages/adapter";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { RiskLevel } from "../catalog/risk.ts";
import { functionText, spliceFunction } from "./splice.ts";
import { python, typescript } from "./testing/adapters.ts";
import { transformAnswerSchema } from "./transform-answer.ts";

const FILE = `import { RATE } from "./rate.ts";

const LIMIT = 5;

/** ENSURES: result >= 0 */
export function cost(weight: number): number {
  if (weight > 0) {
    return weight * RATE;
  }
  return 0;
}

export class Box {
  size(): number {
    return LIMIT;
  }
}

export const twice = (value: number): number => value + value;
`;
const SHORT = "export function cost(weight: number): number {\n  return weight > 0 ? weight * RATE : 0;\n}";

function splice(
  text: string,
  changes: { name?: string; risk?: RiskLevel; declarations?: string[]; file?: string; language?: LanguageAdapter } = {},
) {
  const { name = "cost", risk = 2, declarations = [], file = FILE, language = typescript } = changes;
  return spliceFunction(language, language.parseAst(file), name, { outcome: "transformed", function: text, declarations }, risk);
}
const textOf = (spliced: ReturnType<typeof splice>) => ("text" in spliced ? spliced.text : `refused: ${spliced.refused}`);

describe("a transformed function", () => {
  test("replaces the body, and every other byte of the file stays", () => {
    const text = textOf(splice(SHORT));
    expect(text).toBe(FILE.replace(/\{\n {2}if[\s\S]*?\n\}\n/, "{\n  return weight > 0 ? weight * RATE : 0;\n}\n"));
  });

  test.each([
    ["in a fence", `\`\`\`typescript\n${SHORT}\n\`\`\``],
    ["with its documentation", `/** ENSURES: result >= 0 */\n${SHORT}`],
    ["with a comment before and after it", `// shorter now\n${SHORT}\n// done`],
    [
      "formatted differently",
      SHORT.replace("(weight: number)", "(\n  weight: number\n)").replace("(\n  weight: number\n)", "(weight: number)"),
    ],
  ])("may come %s", (_how, answer) => {
    expect(textOf(splice(answer))).toBe(textOf(splice(SHORT)));
  });

  test("may be a method", () => {
    expect(textOf(splice("size(): number {\n    const size = LIMIT;\n    return size;\n  }", { name: "Box.size" }))).toContain(
      "  size(): number {\n    const size = LIMIT;\n    return size;\n  }\n}\n",
    );
  });

  test("may be an arrow function with an expression", () => {
    const text = textOf(splice("export const twice = (value: number): number => 2 * value;", { name: "twice" }));
    expect(text).toContain("export const twice = (value: number): number => {\n  return 2 * value;\n};\n");
  });

  test("may be an arrow function whose expression ends with a block", () => {
    const FILE_OF_ONE = "export const twice = (value: number): (() => number) => () => value + value;\n";
    const shorter = "export const twice = (value: number): (() => number) => () => { return 2 * value; };";
    expect(textOf(splice(shorter, { name: "twice", file: FILE_OF_ONE }))).toContain("return () => { return 2 * value; };");
  });

  test.each([
    ["prose", "I am sorry, I cannot do that.", "it does not parse"],
    ["prose that parses", "sorry", "it is not the function cost"],
    ["nothing but a comment", "// removed", "it is not the function cost"],
    ["a hole", 'export function cost(weight: number): number {\n  throw new Error("hole");\n}', "it removes the body"],
    ["another name", SHORT.replace("cost", "price"), "it is not the function cost"],
    ["another parameter", SHORT.replace("weight: number", "weight: number, rate = 1"), "it changes the signature"],
    ["another result type", SHORT.replace("): number", "): number | null"), "it changes the signature"],
    ["no export", SHORT.replace("export ", ""), "it changes the signature"],
    ["async", SHORT.replace("export function", "export async function"), "it changes the signature"],
    ["an import before it", `import fs from "node:fs";\n${SHORT}`, "it has code beside the function"],
    ["a statement before it", `let calls = 0;\n${SHORT}`, "it has code beside the function"],
    ["a statement after it", `${SHORT}\nconsole.log("hi");`, "it has code beside the function"],
    ["another function after it", `${SHORT}\nexport function other(): void {}`, "it has code beside the function"],
    ["itself twice", `${SHORT}\n${SHORT}`, "it has code beside the function"],
    ["an import inside", SHORT.replace("return", 'const fs = import("node:fs");\n  return'), "it adds an import"],
    ["a require inside", SHORT.replace("return", 'require("node:fs");\n  return'), "it adds an import"],
    ["an unclosed body", SHORT.slice(0, -1), "it does not parse"],
  ])("is refused if it is %s", (_what, answer, reason) => {
    expect(textOf(splice(answer))).toBe(`refused: ${reason}`);
  });

  test("is refused if it is the same as before, whatever its spaces", () => {
    const same = functionText(typescript.parseAst(FILE), "cost");
    expect(textOf(splice(same))).toBe("refused: it changes nothing");
    expect(textOf(splice(same.replaceAll("\n", "\n\n    ")))).toBe("refused: it changes nothing");
  });

  test("is refused if it is far larger than before; longer than any function it is no answer", () => {
    const large = SHORT.replace("return", `const text = "${"x".repeat(3_000)}";\n  return`);
    expect(textOf(splice(large))).toMatch(/^refused: the result is too large: 3\d{3} characters$/);
    const huge = { outcome: "transformed", function: "x".repeat(64_001) };
    expect(transformAnswerSchema.safeParse(huge).success).toBe(false);
    expect(transformAnswerSchema.safeParse({ ...huge, function: "x" }).data).toEqual({
      outcome: "transformed",
      function: "x",
      declarations: [],
    });
  });

  test("never changes anything outside its body, whatever the answer", () => {
    const ast = typescript.parseAst(FILE);
    const { start, end } = ast.functions.find(({ name }) => name === "cost")?.body ?? { start: 0, end: 0 };
    const pieces = fc.constantFrom(
      "}",
      "{",
      "return 1;",
      "*/",
      "/*",
      "`",
      '"',
      "import x from 'y';",
      "export ",
      "\n",
      "function g() {",
      "//",
      "1",
      "\0",
      "\ufeff",
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 8 }), (body) => {
        const spliced = splice(`export function cost(weight: number): number {${body.join(" ")}}`);
        if ("refused" in spliced) return;
        expect(spliced.text.startsWith(FILE.slice(0, start))).toBe(true);
        expect(spliced.text.endsWith(FILE.slice(end))).toBe(true);
        expect(typescript.parseAst(spliced.text).functions.map(({ name, signature }) => [name, signature])).toEqual(
          ast.functions.map(({ name, signature }) => [name, signature]),
        );
      }),
      { numRuns: 300 },
    );
  });

  test("an error of the adapter that is no refusal is not hidden", () => {
    const failing = (at: "parseAst" | "injectBody", error: Error) =>
      ({
        ...typescript,
        [at]: () => {
          throw error;
        },
      }) as unknown as LanguageAdapter;
    const ast = typescript.parseAst(FILE);
    const answer = { outcome: "transformed" as const, function: SHORT, declarations: [] };
    const run = (language: LanguageAdapter) => spliceFunction(language, ast, "cost", answer, 2);
    expect(() => run(failing("parseAst", new TypeError("bug")))).toThrow("bug");
    expect(() => run(failing("injectBody", new TypeError("bug")))).toThrow("bug");
    expect(run(failing("injectBody", new SlipwayError("body_escapes", "it escapes")))).toEqual({ refused: "it escapes" });
    expect(() => functionText(ast, "nothing")).toThrow("There is no function nothing");
  });
});

describe("declarations", () => {
  const using = "export function cost(weight: number): number {\n  return isHeavy(weight) ? weight * RATE : 0;\n}";
  const helper = "function isHeavy(weight: number): boolean {\n  return weight > 0;\n}";
  const declare = (...declarations: string[]) => splice(using, { risk: 3, declarations });

  test("are added at the end of the file, and named", () => {
    const spliced = declare(helper, "type Weight = {\n  value: number;\n}");
    expect(spliced).toMatchObject({ added: ["isHeavy"] });
    expect(textOf(spliced).endsWith(`value + value;\n\n${helper}\n\ntype Weight = {\n  value: number;\n}\n`)).toBe(true);
  });

  test.each([1, 2] as const)("are refused for a pattern of risk %i", (risk) => {
    expect(textOf(splice(using, { risk, declarations: [helper] }))).toBe(`refused: a pattern of risk ${risk} may not add declarations`);
  });

  test.each([
    ["an exported function", `export ${helper}`, "a declaration is not a private function, constant or type"],
    ["a statement", "sideEffect();", "a declaration is not a private function, constant or type"],
    ["a default export", "export default 1;", "a declaration is not a private function, constant or type"],
    ["an import", 'import x from "y";', "it adds an import"],
    ["prose", "function that checks the weight", "a declaration does not parse"],
    ["a function with a call after it", `${helper}\nisHeavy(1);`, "a declaration has more than one statement"],
    ["a type with a call after it", "type Weight = number\nsideEffect()", "a declaration has more than one statement"],
    ["a type with a call behind a semicolon", "type Weight = number; sideEffect();", "a declaration has more than one statement"],
    ["a function that exists", "function cost(): void {}", "a declaration of cost exists"],
    ["a constant that exists", "const LIMIT = 9;", "a declaration of LIMIT exists"],
    ["a constant with an import", 'const fs = require("node:fs");', "it adds an import"],
  ])("may not be %s", (_what, declaration, reason) => {
    expect(textOf(declare(declaration))).toBe(`refused: ${reason}`);
  });

  test("may not be two of the same name", () => {
    const twice = "const heavy = 1;";
    expect(textOf(declare(twice, twice))).toBe("refused: a declaration of heavy exists");
  });
});

describe("Python", () => {
  const file =
    'LIMIT = 5\n\n\nclass Box:\n    def size(self) -> int:\n        """ENSURES: result > 0"""\n        total = LIMIT\n        return total\n\n\ndef other() -> int:\n    return 1\n';
  const inPython = (text: string, changes: Parameters<typeof splice>[1] = {}) =>
    textOf(splice(text, { name: "Box.size", file, language: python, ...changes }));

  test.each([
    ["at its place", "    def size(self) -> int:\n        return LIMIT"],
    ["without indentation", "def size(self) -> int:\n    return LIMIT\n"],
    ["with another documentation", 'def size(self) -> int:\n    """Nothing."""\n    return LIMIT'],
  ])("a method %s keeps its documentation and its depth", (_how, answer) => {
    expect(inPython(answer)).toBe(file.replace("        total = LIMIT\n        return total", "        return LIMIT"));
  });

  test("a changed signature, a second function or an import is refused", () => {
    expect(inPython("def size(self, big=True) -> int:\n    return LIMIT")).toBe("refused: it changes the signature");
    expect(inPython("def size(self) -> int:\n    return LIMIT\n\ndef more(self):\n    return 2")).toBe(
      "refused: it has code beside the function",
    );
    expect(inPython("def size(self) -> int:\n    import os\n    return LIMIT")).toBe("refused: it adds an import");
  });

  test("a private function is added; one that others could import, and a constant that exists, are not", () => {
    const answer = "def size(self) -> int:\n    return _limit()";
    const declare = (declaration: string) => inPython(answer, { risk: 3, declarations: [declaration] });
    expect(declare("def _limit() -> int:\n    return LIMIT")).toContain("    return 1\n\ndef _limit() -> int:\n    return LIMIT\n");
    expect(declare("def limit() -> int:\n    return LIMIT")).toBe("refused: it adds an exported name");
    expect(declare("LIMIT = 9")).toBe("refused: a declaration of LIMIT exists");
    expect(declare("import os")).toBe("refused: it adds an import");
  });
});
