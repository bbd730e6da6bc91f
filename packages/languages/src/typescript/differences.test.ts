import { PARSE_DURATION } from "../contracts/testing/samples.ts";
import type { Contract } from "../contracts/schema.ts";
import { afterAll, describe, expect, test } from "vitest";
import { openTypeScript } from "./reader.ts";
import { contract, differences as differ, ERROR, GOOD, input, output, reading as read } from "./testing/readings.ts";

const typescript = openTypeScript();
afterAll(() => typescript.close());
const differences = (code: string, agreed?: Contract) => differ(typescript, code, agreed);
const reading = (code: string) => read(typescript, code);

describe("code that differs is reported dimension by dimension", () => {
  test.each<[string, string, Contract, (string | RegExp)[]]>([
    [
      "another name",
      GOOD.replace("function parseDuration", "function parse"),
      PARSE_DURATION,
      [
        /^inputs: parse.text is not/,
        /^inputs: text is missing/,
        /^outputs: parse is not/,
        /^outputs: minutes is missing/,
        "modes: sync should be true and is false",
        /does not export the function "parseDuration"/,
      ],
    ],
    [
      "another type of input",
      GOOD.replace("text: string", "text: string | string[]"),
      PARSE_DURATION,
      [/^inputs: text should be .*"type":"string"} and is .*"type":"Array<string> \| string"}$/],
    ],
    [
      "another name of an input",
      GOOD.replaceAll("text", "written"),
      PARSE_DURATION,
      ["inputs: written is not in the contract", "inputs: text is missing"],
    ],
    ["one more input", GOOD.replace("text: string", "text: string, base: number"), PARSE_DURATION, ["inputs: base is not in the contract"]],
    [
      "one input less",
      GOOD.replace("text: string", "").replaceAll("text", '"1"'),
      PARSE_DURATION,
      ["inputs: text is missing", /overlap|TS|comparison/],
    ],
    [
      "another type of output",
      GOOD.replace("): number", "): bigint").replace("text.length", "1n"),
      PARSE_DURATION,
      [/^outputs: minutes should be .* and is .*"type":"bigint"}$/],
    ],
    ["any as a result", GOOD.replace("): number", "): any"), PARSE_DURATION, [/^outputs: minutes .*"type":"any"}$/]],
    [
      "a declared error that is not thrown",
      GOOD.replace('throw new DurationError("empty")', "return 0"),
      PARSE_DURATION,
      ["error_surfaces: DurationError is missing"],
    ],
    [
      "an undeclared error",
      GOOD.replace("return text.length", "if (text) throw new RangeError(); return 1"),
      PARSE_DURATION,
      ["error_surfaces: RangeError is not in the contract"],
    ],
    [
      "an undeclared effect",
      `import { rmSync } from "node:fs";\n${GOOD.replace("return text.length", "rmSync(text); console.log(text); return 1")}`,
      PARSE_DURATION,
      ["effects: CALL node:fs is not in the contract", "effects: CALL console is not in the contract"],
    ],
    [
      "a promise that is not in the contract",
      GOOD.replace("function", "async function").replace("): number", "): Promise<number>"),
      PARSE_DURATION,
      ["modes: sync should be true and is false", "modes: async should be false and is true"],
    ],
    [
      "one more function",
      `${GOOD}export function unparse(minutes: number): string { return String(minutes); }\nexport const LIMIT = 5;`,
      PARSE_DURATION,
      [
        "inputs: unparse.minutes is not in the contract",
        "outputs: unparse is not in the contract",
        "outputs: LIMIT is not in the contract",
      ],
    ],
    [
      "a variant that is not returned",
      GOOD,
      contract({ error_surfaces: [...PARSE_DURATION.error_surfaces, { name: "odd", when: "odd", surface: "variant" }] }),
      ["error_surfaces: odd is missing"],
    ],
    [
      "several outputs of which one differs",
      `${ERROR}export function parseDuration(text: string) { if (text === "") throw new DurationError(); return { minutes: 1, more: 2 }; }`,
      contract({ outputs: [output("number"), output("string", "rest")] }),
      ["outputs: more is not in the contract", "outputs: rest is missing"],
    ],
  ])("%s", (_, code, agreed, expected) => {
    const found = differences(code, agreed);
    expect(found).toHaveLength(expected.length);
    expected.forEach((one, index) => expect(found[index]).toEqual(one instanceof RegExp ? expect.stringMatching(one) : one));
  });

  test.each([
    ["passed on by the catch", "try { throw new RangeError(); } catch (error) { throw error; }"],
    ["thrown in a function inside the try", "try { [1].forEach(() => { throw new RangeError(); }); } finally { text.trim(); }"],
    ["thrown in the catch", "try { text.trim(); } catch { throw new RangeError(); }"],
    ["one of two", "throw text.length > 3 ? new DurationError() : (new RangeError());"],
    ["thrown by other code", "throw make(); function make(): RangeError { return new RangeError(); }"],
    ["rejected", "void Promise.reject(new RangeError());"],
  ])("an error that is %s leaves the module", (_, body) => {
    expect(differences(GOOD.replace("return text.length", `if (text === "x") { ${body} } return 1`))).toEqual([
      "error_surfaces: RangeError is not in the contract",
    ]);
  });

  test("a thrown value that is not an Error has no name to declare", () => {
    const found = differences(
      GOOD.replace("return text.length", 'if (text === "x") throw "words"; void Promise.reject(); void Promise.resolve(1); return 1'),
    );
    expect(found).toEqual(["error_surfaces: a value that is no error is not in the contract"]);
  });

  test.each([
    ["a name that only the module knows", "Span", "Cannot find name 'Span'."],
    ["words", "list of strings", "')' expected."],
    ["the code itself", 'import("../implementation/index.ts").Span', "it imports something"],
    ["more than a type", "string\n); export declare const other: (number", "it is no single type"],
  ])("a contract that cannot be read without the module: %s", (_, type, why) => {
    const found = differences(`${GOOD}interface Span { a: 1 }`, contract({ inputs: [input(type)] }));
    expect(found.at(-1)).toBe(`the contract's type "${type}" cannot be read without the module: ${why}`);
  });

  test("overloads, compile errors, and no code at all", () => {
    const overloaded = `${ERROR}export function parseDuration(text: string): number;\nexport function parseDuration(text: number): number;\nexport function parseDuration(text: unknown): number { if (!text) throw new DurationError(); return 1; }`;
    expect(differences(overloaded)).toEqual(["parseDuration has 2 call signatures; a contract describes one"]);
    const broken = reading(GOOD.replace("text.length", "text.size"));
    expect(broken.problems).toEqual(["implementation/index.ts:5: Property 'size' does not exist on type 'string'."]);
    expect(typescript.readModule({ files: {} }, PARSE_DURATION).problems).toHaveLength(1);
  });
});
