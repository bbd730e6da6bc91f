import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { witnessSchema, type GeneratedWitness, type WitnessDefinition } from "../witnesses/definition.ts";
import { openOracle } from "./oracle/oracle.ts";
import { generateWitness } from "./witness.ts";

const define = (change: Partial<WitnessDefinition> = {}): WitnessDefinition =>
  witnessSchema.parse({
    name: "PositiveAmount",
    description: "An amount above zero.",
    base: { generic: false, type_params: [], inner_type: "number" },
    invariants: [{ id: "positive", description: "is above zero", formal: "value > 0", testable: true }],
    constructors: [
      { name: "from_number", trust_level: "safe" },
      { name: "from_trusted", trust_level: "unsafe" },
    ],
    ...change,
  });
const invariant = (formal: string, testable = true) => define({ invariants: [{ id: "it", description: "holds", formal, testable }] });
const SORTED = define({
  name: "SortedVec",
  description: "Elements in ascending order",
  base: { generic: true, type_params: [{ name: "T", bounds: ["Ord", "string | number"] }], inner_type: "Vec<T>" },
  invariants: [
    {
      id: "sorted",
      description: "is ascending",
      formal: "value.every((one, index) => index === 0 || value[index - 1]! <= one)",
      testable: true,
    },
  ],
  constructors: [],
});

async function problemsOf(witnesses: readonly GeneratedWitness[], more: Record<string, string> = {}): Promise<string[]> {
  const files = Object.fromEntries(witnesses.map(({ path, text }) => [path, text]));
  const oracle = openOracle({ "tsconfig.json": `{ "compilerOptions": { "strict": true } }`, ...files, ...more });
  onTestFinished(() => oracle.close());
  return (await oracle.check()).problems.map(({ file, line, message }) => `${file}:${line} ${message}`);
}

async function load({ text }: GeneratedWitness): Promise<Record<string, (value: unknown) => unknown>> {
  const folder = mkdtempSync(join(tmpdir(), "slipway-witness-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "witness.ts"), text);
  return (await import(pathToFileURL(join(folder, "witness.ts")).href)) as Record<string, (value: unknown) => unknown>;
}

describe("a witness of TypeScript", () => {
  test("[CRI-102] is a unique symbol brand type with constructor functions and a guard", () => {
    const { path, text, level, invariants } = generateWitness(define());
    expect(path).toBe("src/witnesses/positive-amount.ts");
    expect(text).toBe(`declare const positiveAmountBrand: unique symbol;

/**
 * An amount above zero.
 * INVARIANT positive: is above zero [value > 0]
 */
export type PositiveAmount = number & { readonly [positiveAmountBrand]: true };

/** Whether the value has every invariant. */
export function isPositiveAmount(value: number): value is PositiveAmount {
  return value > 0;
}

/** Throws a RangeError if an invariant that can be checked does not hold. */
export function positiveAmountFromNumber(value: number): PositiveAmount {
  if (!(value > 0)) throw new RangeError("PositiveAmount: is above zero");
  return value as PositiveAmount;
}

/** The caller guarantees the invariants. */
export function positiveAmountFromTrustedUnchecked(value: number): PositiveAmount {
  return value as PositiveAmount;
}
`);
    expect(level).toBe("distinction");
    expect(invariants).toEqual([{ id: "positive", level: "distinction" }]);
  });

  test("[CRI-098] [CRI-102] is a type of its own for the compiler: a plain value is no witness", async () => {
    const imports = `import { positiveAmountFromNumber, isPositiveAmount, type PositiveAmount } from "../witnesses/positive-amount.ts";\n`;
    const found = await problemsOf([generateWitness(define())], {
      "src/domain/a.ts": `${imports}export const good: PositiveAmount = positiveAmountFromNumber(1);\nexport const bad: PositiveAmount = 1;\nexport const same: number = good;\nexport function f(a: number): PositiveAmount | null {\n  return isPositiveAmount(a) ? a : null;\n}\n`,
    });
    expect(found).toEqual([expect.stringMatching(/^src\/domain\/a\.ts:3 Type 'number' is not assignable to type 'PositiveAmount'/)]);
  });

  test("[CRI-102] is checked by its safe constructor and not by its unsafe one", async () => {
    const { positiveAmountFromNumber, positiveAmountFromTrustedUnchecked, isPositiveAmount } = await load(generateWitness(define()));
    expect(positiveAmountFromNumber?.(5)).toBe(5);
    expect(() => positiveAmountFromNumber?.(0)).toThrow(new RangeError("PositiveAmount: is above zero"));
    expect(() => positiveAmountFromNumber?.(NaN)).toThrow(RangeError);
    expect(positiveAmountFromTrustedUnchecked?.(-1)).toBe(-1);
    expect([1, 0].map((value) => isPositiveAmount?.(value))).toEqual([true, false]);
  });

  test("may be generic; a bound that the language lacks becomes a comment", async () => {
    const witness = generateWitness(SORTED);
    expect(witness.path).toBe("src/witnesses/sorted-vec.ts");
    expect(witness.text).toContain("export type SortedVec<T extends (string | number)> = (T[]) & { readonly [sortedVecBrand]: true };");
    expect(witness.text).toContain(" * T is bounded by Ord (not checked).\n");
    expect(await problemsOf([witness])).toEqual([]);
    const { sortedVec } = await load(witness);
    expect(sortedVec?.([1, 2, 2])).toEqual([1, 2, 2]);
    expect(() => sortedVec?.([2, 1])).toThrow(RangeError);
  });

  test.each([
    "forall i, j: i < j implies self[i] <= self[j]",
    "",
    "the amount is fair",
    "value > 0; evil()",
    "value = 1",
    "value > other",
    "process.exit(value)",
    "fetch(value)",
    "value.constructor('x')()",
    "true",
    "value > 0) || (true",
    "[".repeat(50_000),
    "await value",
  ])("[CRI-101] [CRI-102] has an invariant that cannot be checked as a comment, at the level doc: %s", async (formal) => {
    const { text, level, invariants } = generateWitness(invariant(formal));
    expect(invariants).toEqual([{ id: "it", level: "doc" }]);
    expect(level).toBe("doc");
    expect(text).toContain("INVARIANT it (not checked): holds");
    expect(text).not.toContain("RangeError(");
    expect(await problemsOf([{ path: "src/witnesses/a.ts", text, level, invariants }])).toEqual([]);
  });

  test("[CRI-101] marked as not testable has its invariants as comments", () => {
    expect(generateWitness(invariant("value > 0", false))).toMatchObject({
      level: "doc",
      text: expect.stringContaining("(not checked): holds [value > 0]"),
    });
  });

  test("[CRI-101] with several invariants has the level of the weakest, and each of them", async () => {
    const list = [
      { id: "a", description: "is whole", formal: "Number.isInteger(value)", testable: true },
      { id: "b", description: "is pretty", formal: "looks good", testable: true },
      { id: "c", description: "is odd", formal: "value % 2", testable: true },
    ];
    const witness = generateWitness(define({ invariants: list }));
    expect(witness.level).toBe("doc");
    expect(witness.invariants.map(({ id, level }) => [id, level])).toEqual([
      ["a", "distinction"],
      ["b", "doc"],
      ["c", "distinction"],
    ]);
    expect(await problemsOf([witness])).toEqual([]);
    const { positiveAmountFromNumber, isPositiveAmount } = await load(witness);
    expect(positiveAmountFromNumber?.(3)).toBe(3);
    expect(() => positiveAmountFromNumber?.(2)).toThrow("PositiveAmount: is odd");
    expect([3, 2, 1.5].map((value) => isPositiveAmount?.(value))).toEqual([true, false, false]);
  });

  test.each([
    "value > 0 // not less",
    "value >\n  0",
    "(value > 0)",
    "!(value <= 0) && value !== Infinity",
    "Math.abs(value)",
    "[1, 2].includes(value) || value in [1] || true",
    "`${value}`.length > 0 && 'a//b' !== String(value)",
    "isFinite(value)",
  ])("[CRI-102] compiles under strict and erasableSyntaxOnly: %j", async (formal) => {
    const witness = generateWitness(invariant(formal));
    expect(witness.level).toBe("distinction");
    expect(await problemsOf([witness])).toEqual([]);
  });

  test("[CRI-102] compiles with hostile texts, and they stay comments and strings", async () => {
    const hostile = '*/ export const evil = 1; /*\r\n// `${1}` \u2028 " \\ </script>';
    const witness = generateWitness(
      define({
        description: hostile,
        invariants: [
          { id: "*/ evil", description: hostile, formal: "value > 0", testable: true },
          { id: "b", description: hostile, formal: hostile, testable: true },
        ],
      }),
    );
    expect(await problemsOf([witness])).toEqual([]);
    expect(Object.keys(await load(witness)).toSorted()).toEqual([
      "isPositiveAmount",
      "positiveAmountFromNumber",
      "positiveAmountFromTrustedUnchecked",
    ]);
    expect(generateWitness(define({ description: "", invariants: [] })).text).toContain("unique symbol;\n\nexport type");
  });

  test.each([
    "number; export const evil = 1",
    "number) | (string",
    "number, string",
    "number][0] & [1",
    "...number[]",
    "number?",
    "a: number",
    "",
    "number // x",
    "{",
    "[".repeat(20_000),
  ])("needs a type of the language: %j", (inner_type) => {
    expect(() => generateWitness(define({ base: { generic: false, type_params: [], inner_type } }))).toThrow(
      expect.objectContaining({ code: "source_syntax" }),
    );
  });

  test("needs type parameters with names of the language", () => {
    const base = (name: string, bounds: string[] = []) =>
      define({ base: { generic: true, type_params: [{ name, bounds }], inner_type: "string" } });
    expect(() => generateWitness(base("T> = 1; evil<"))).toThrow(expect.objectContaining({ code: "source_syntax" }));
    expect(() => generateWitness(base("T", ["{ a: 1 }> = 1; { }"]))).toThrow(expect.objectContaining({ code: "source_syntax" }));
    expect(
      generateWitness(define({ base: { generic: false, type_params: [{ name: "T", bounds: [] }], inner_type: "bool" } })).text,
    ).toContain("PositiveAmount = boolean &");
  });

  test("has one function for constructors of one name, and basic types of other languages", () => {
    const constructors = [
      { name: "positiveAmount", trust_level: "safe" as const },
      { name: "positive_amount", trust_level: "safe" as const },
      { name: "raw_unchecked", trust_level: "unsafe" as const },
    ];
    const { text } = generateWitness(define({ constructors, base: { generic: false, type_params: [], inner_type: "Vec<i32>" } }));
    expect(text.match(/export function \w+/g)).toEqual([
      "export function isPositiveAmount",
      "export function positiveAmount",
      "export function positiveAmountRawUnchecked",
    ]);
    expect(text).toContain("(value: (number[]))");
    expect(generateWitness(define({ name: "HTTPCode2", base: { generic: false, type_params: [], inner_type: "String" } }))).toMatchObject({
      path: "src/witnesses/http-code2.ts",
      text: expect.stringContaining("= string &"),
    });
  });
});
