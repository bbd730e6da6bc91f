import { PARSE_DURATION } from "../contracts/testing/samples.ts";
import type { Contract } from "../contracts/schema.ts";
import { afterAll, describe, expect, test } from "vitest";
import { openTypeScript } from "./reader.ts";
import { contract, differences as differ, ERROR, GOOD, input, output } from "./testing/readings.ts";

const typescript = openTypeScript();
afterAll(() => typescript.close());
const differences = (code: string, agreed?: Contract) => differ(typescript, code, agreed);

describe("code that matches its contract has the contract's fingerprint", () => {
  test.each<[string, string, Contract]>([
    ["unchanged", GOOD, PARSE_DURATION],
    [
      "an arrow function",
      GOOD.replace("export function parseDuration(text: string): number {", "export const parseDuration = (text: string): number => {"),
      PARSE_DURATION,
    ],
    [
      "with its own types and errors exported",
      `${GOOD}export interface Unit { readonly name: string }\nexport class Unused extends Error {}\n`,
      PARSE_DURATION,
    ],
    [
      "a type that the contract spells out and the code names",
      `${ERROR}interface Span { minutes: number; hours?: number }\nexport function parseDuration(text: readonly string[]): Span { if (text.length > 1) throw new DurationError(); return { minutes: 1 }; }`,
      contract({ inputs: [input("string[]")], outputs: [output("{ hours?: number; minutes: number }")] }),
    ],
    [
      "a promise",
      `${ERROR}export async function parseDuration(text: string): Promise<number> { if (text === "") throw new DurationError(); return 1; }`,
      contract({ modes: { sync: false, async: true, notes: "" } }),
    ],
    [
      "either",
      `${ERROR}export function parseDuration(text: string): number | Promise<number> { if (text === "") return Promise.reject(new DurationError()); return 1; }`,
      contract({ modes: { sync: true, async: true, notes: "" } }),
    ],
    [
      "type parameters, with a bound",
      `${ERROR}export function parseDuration<T, K extends keyof T>(text: readonly T[], key: K): Map<T[K], T> { if (text.length === 0) throw new DurationError(); return new Map(text.map((one) => [one[key], one])); }`,
      contract({ inputs: [input("readonly T[]"), input("K", "key")], outputs: [output("Map<T[K], T>")] }),
    ],
    [
      "several inputs as one object, several outputs as one object",
      `${ERROR}export function parseDuration({ text, base }: { base: number; text: string }): { minutes: number; rest: string } { if (text === "") throw new DurationError(); return { minutes: base, rest: text }; }`,
      contract({ inputs: [input("number", "base"), input("string")], outputs: [output("number"), output("string", "rest")] }),
    ],
    [
      "an error that is returned, and one that is a code",
      `class Failure extends Error { readonly code: string; constructor(code: string) { super(code); this.code = code; } }\nexport function parseDuration(text: string): number | { kind: "odd" } { if (text === "") throw new Failure("E_EMPTY"); return { kind: "odd" }; }`,
      contract({
        outputs: [output('number | { kind: "odd" }')],
        error_surfaces: [
          { name: "odd", when: "odd", surface: "variant" },
          { name: "E_EMPTY", when: "empty", surface: "code" },
        ],
      }),
    ],
    [
      "an effect that is declared",
      `import { writeFileSync } from "node:fs";\n${GOOD.replace("return text.length", 'writeFileSync("log", text); return 1')}`,
      contract({ effects: [{ type: "WRITE", target: "the log", description: "a line" }] }),
    ],
    [
      "errors that are thrown and caught inside",
      GOOD.replace(
        "return text.length",
        "try { throw new RangeError(); } catch (error) { if (!(error instanceof RangeError)) throw error; } return 1",
      ),
      PARSE_DURATION,
    ],
    [
      "names that resemble globals",
      GOOD.replace("return text.length", "const process = { fetch: 1, console: text }; return process.fetch"),
      PARSE_DURATION,
    ],
  ])("%s", (_, code, agreed) => expect(differences(code, agreed)).toEqual([]));
});

describe("types are compared by their structure", () => {
  const taking = (type: string, declared = "") =>
    `${ERROR}${declared}export function parseDuration(text: ${type}): number { if (!text) throw new DurationError(); return 1; }`;
  test.each<[string, string, string]>([
    ["functions", "(line: string, ...rest: number[]) => void", "(a: string, ...b: number[]) => void"],
    ["records", "Record<string, number>", "{ [key: string]: number }"],
    ["tuples", "readonly [number, string?]", "[number, string?]"],
    ["library types", "Map<string, Date> | ReadonlySet<URL>", "Set<URL> | ReadonlyMap<string, Date>"],
    ["classes with constructors", "new (name: string) => { name: string }", "{ new (name: string): { name: string } }"],
    ["both of two", "{ a: 1 } & { b: 2 }", "{ b: 2; a: 1 }"],
    ["members of a class", "Box", "{ size: number }"],
    ["recursive types", "Node", "{ next: { next: null } | null }"],
    ["regular expressions and bytes", "RegExp | Uint8Array", "Uint8Array | RegExp"],
  ])("%s", (_, own, agreed) => {
    const code = taking(own, "class Box { size = 1; }\ninterface Node { next: Node | null }\n");
    const same = !own.includes("Node");
    expect(differences(code, contract({ inputs: [input(agreed)] })).length === 0).toBe(same);
    expect(differences(code, contract({ inputs: [input("bigint")] }))).toHaveLength(1);
  });

  test("an infinitely deep type is cut off", () => {
    const deep = "{ a: ".repeat(14) + "1" + " }".repeat(14);
    expect(differences(taking(deep), contract({ inputs: [input(deep)] }))).toEqual([]);
  });
});
