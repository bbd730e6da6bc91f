import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compatibilityOf, deltaOf, deltaText } from "./delta.ts";
import { fingerprintOf, mismatchMessage } from "./fingerprint.ts";
import { isPlaceholder } from "./placeholder.ts";
import { DIMENSIONS, type Contract, type Dimensions } from "./schema.ts";
import { PARSE_DURATION } from "./testing/samples.ts";
import { bumped, nextVersion } from "./version.ts";

const words = fc.constantFrom("text", "size", "unit");
const inputs = fc.uniqueArray(
  fc.record({ name: words, type: fc.constantFrom("string", "number"), constraints: fc.constant<string[]>([]) }),
  {
    selector: ({ name }) => name,
  },
);
const outputs = fc.uniqueArray(
  fc.record({ name: words, type: fc.constantFrom("string", "number"), invariants: fc.constant<string[]>([]) }),
  {
    selector: ({ name }) => name,
  },
);
const effects = fc.array(
  fc.record({ type: fc.constantFrom("WRITE" as const, "CALL" as const), target: words, description: fc.constantFrom("a", "b") }),
  { maxLength: 3 },
);
const dimensions: fc.Arbitrary<Dimensions> = fc.record({
  inputs,
  outputs,
  error_surfaces: fc.constant([]),
  effects,
  modes: fc.record({ sync: fc.boolean(), async: fc.boolean(), notes: fc.constantFrom("", "x") }),
});

describe("the fingerprint", () => {
  test("[FAC-147] is the SHA-256 of the canonical JSON of the five dimensions, in hexadecimal", () => {
    // Written by hand: sorted keys, no spaces.
    const canonical =
      '{"effects":[],"error_surfaces":[{"name":"DurationError","surface":"exception","when":"the text is no duration"}],' +
      '"inputs":[{"constraints":["not empty"],"name":"text","type":"string"}],' +
      '"modes":{"async":false,"notes":"","sync":true},' +
      '"outputs":[{"invariants":["never negative"],"name":"minutes","type":"number"}]}';
    expect(fingerprintOf(PARSE_DURATION)).toBe(createHash("sha256").update(canonical).digest("hex"));
    expect(fingerprintOf(PARSE_DURATION)).toMatch(/^[0-9a-f]{64}$/);
  });

  const METADATA: Partial<Contract> = {
    module_id: "MM-other",
    module_version: "9.9.9",
    name: "another",
    purpose: "another",
    tags: [],
    error_cases: [],
    dependencies: [{ ref: "MM-clock@1.0.0", why: "time" }],
    compatibility: { backward_compatible_with: ["MM-x@1.0.0"], breaking_change_policy: "none" },
    runtime_budgets: { latency_ms_p95: 1 },
  };
  const SURFACE: Dimensions = {
    inputs: [{ name: "text", type: "string", constraints: [] }],
    outputs: [],
    error_surfaces: [{ name: "DurationError", when: "the text is odd", surface: "exception" }],
    effects: [{ type: "WRITE", target: "log", description: "a line" }],
    modes: { sync: true, async: false, notes: "never blocks" },
  };

  test("[FAC-148] depends on the five dimensions only", () => {
    for (const [field, value] of Object.entries(METADATA)) {
      expect(fingerprintOf({ ...PARSE_DURATION, [field]: value } as Contract), field).toBe(fingerprintOf(PARSE_DURATION));
    }
    for (const dimension of DIMENSIONS) {
      const other = { ...PARSE_DURATION, [dimension]: SURFACE[dimension] };
      expect(fingerprintOf(other), dimension).not.toBe(fingerprintOf(PARSE_DURATION));
    }
    expect(Object.keys({ ...METADATA, ...SURFACE }).toSorted()).toEqual(Object.keys(PARSE_DURATION).toSorted());
  });

  test("two contracts differ in some dimension exactly when their fingerprints differ", () => {
    fc.assert(
      fc.property(dimensions, dimensions, (left, right) => {
        expect(deltaOf(left, right).length === 0).toBe(fingerprintOf(left) === fingerprintOf(right));
        expect(deltaText(deltaOf(left, right)).length === 0).toBe(deltaOf(left, right).length === 0);
      }),
    );
  });

  test("a mismatch names both fingerprints", () =>
    expect(mismatchMessage("a", "b")).toBe("Interface fingerprint mismatch: expected a, got b"));
});

describe("the difference of two contracts", () => {
  const two = { name: "unit", type: "string", constraints: [] };
  test("names each element in its dimension", () => {
    const after: Contract = {
      ...PARSE_DURATION,
      inputs: [{ name: "text", type: "string[]", constraints: ["not empty"] }, two],
      error_surfaces: [],
      effects: [
        { type: "CALL", target: "clock", description: "a" },
        { type: "CALL", target: "clock", description: "b" },
      ],
      modes: { sync: false, async: true, notes: "" },
    };
    expect(deltaText(deltaOf(PARSE_DURATION, after))).toEqual([
      "inputs: unit is not in the contract",
      'inputs: text should be {"constraints":["not empty"],"name":"text","type":"string"} and is {"constraints":["not empty"],"name":"text","type":"string[]"}',
      "error_surfaces: DurationError is missing",
      "effects: CALL clock is not in the contract",
      "effects: CALL clock (2) is not in the contract",
      "modes: sync should be true and is false",
      "modes: async should be false and is true",
    ]);
  });

  test("a changed order is a difference", () => {
    const [before, after] = [
      [...PARSE_DURATION.inputs, two],
      [two, ...PARSE_DURATION.inputs],
    ].map((order) => ({ ...PARSE_DURATION, inputs: order })) as [Contract, Contract];
    expect(deltaText(deltaOf(before, after))).toEqual(["inputs: the order is another"]);
  });

  test("the order of fields in an object is not a difference", () => {
    const { sync, async, notes } = PARSE_DURATION.modes;
    expect(deltaOf(PARSE_DURATION, { ...PARSE_DURATION, modes: { notes, async, sync } })).toEqual([]);
  });

  const optional = { name: "unit", type: "string | undefined", constraints: [] };
  const [first] = PARSE_DURATION.inputs;
  test.each<[string, Partial<Dimensions>, string]>([
    ["an optional input at the end", { inputs: [first!, optional] }, "BACKWARD_COMPATIBLE"],
    ["an input marked optional", { inputs: [first!, { ...two, constraints: ["optional"] }] }, "BACKWARD_COMPATIBLE"],
    ["an optional input at the front", { inputs: [optional, first!] }, "BREAKING"],
    ["a required input", { inputs: [first!, two] }, "BREAKING"],
    ["one more output", { outputs: [...PARSE_DURATION.outputs, { name: "rest", type: "string", invariants: [] }] }, "BACKWARD_COMPATIBLE"],
    [
      "one more error surface",
      { error_surfaces: [...PARSE_DURATION.error_surfaces, { name: "Late", when: "late", surface: "code" }] },
      "BACKWARD_COMPATIBLE",
    ],
    ["one input less", { inputs: [] }, "BREAKING"],
    ["another type", { outputs: [{ name: "minutes", type: "bigint", invariants: ["never negative"] }] }, "BREAKING"],
    ["an effect", { effects: [{ type: "WRITE", target: "log", description: "a line" }] }, "BREAKING"],
    ["another mode", { modes: { sync: true, async: true, notes: "" } }, "BREAKING"],
  ])("%s is %s", (_, change, expected) => expect(compatibilityOf(PARSE_DURATION, { ...PARSE_DURATION, ...change })).toBe(expected));
});

describe("versions", () => {
  const previous = { version: "1.4.2", fingerprint: "a" };
  test("begin at 1.0.0; the same fingerprint is a patch, with or without an exception", () => {
    expect(nextVersion(null, "a", null)).toBe("1.0.0");
    expect(nextVersion(previous, "a", null)).toBe("1.4.3");
    expect(nextVersion(previous, "a", "BREAKING")).toBe("1.4.3");
  });

  test.each([
    ["BACKWARD_COMPATIBLE", "1.5.0"],
    ["BREAKING", "2.0.0"],
    ["UNKNOWN", "2.0.0"],
  ] as const)("[FAC-094] an exception that is %s gives %s", (compatibility, expected) => {
    expect(nextVersion(previous, "b", compatibility)).toBe(expected);
  });

  test("another contract without an exception is refused", () => {
    expect(() => nextVersion(previous, "b", null)).toThrow("no interface change exception allows it");
    expect(bumped("0.0.9", "patch")).toBe("0.0.10");
  });
});

describe("a placeholder", () => {
  test.each([
    "",
    " ",
    "TBD",
    "tbd.",
    "T.B.D.",
    "TODO",
    "n/a",
    "N.A.",
    "not applicable",
    "to be defined",
    "???",
    "...",
    "…",
    "<type>",
    "-",
    "xxx",
  ])("%j is a placeholder", (text) => expect(isPlaceholder(text)).toBe(true));
  test.each([
    "none",
    "string",
    "nothing is written",
    "an actual TBD in a sentence",
    "x",
    "no effects",
    "unknown",
    "{ hours: number }",
    "[number, string]",
  ])("%j is not a placeholder", (text) => expect(isPlaceholder(text)).toBe(false));
});
