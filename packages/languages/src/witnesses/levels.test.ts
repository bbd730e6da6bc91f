import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { LANGUAGE_IDS } from "../adapter.ts";
import { WITNESS_LEVELS, witnessSchema } from "./definition.ts";
import { capability, CAPABILITIES, DEFAULT_LEVEL, defaultLevel, degrade, TIER_OF_LEVEL, TYPE_FEATURES, weakestLevel } from "./levels.ts";

const SORTED = {
  name: "SortedVec",
  description: "Elements in ascending order",
  base: { generic: true, type_params: [{ name: "T", bounds: ["Ord"] }], inner_type: "Vec<T>" },
  invariants: [{ id: "sorted", description: "Ascending", formal: "forall i, j: i < j implies self[i] <= self[j]", testable: true }],
  constructors: [
    { name: "from_sorted", trust_level: "unsafe" },
    { name: "from_unsorted", trust_level: "safe" },
  ],
};

describe("a witness definition", () => {
  test("[CRI-097] has the fields of the universal schema", () => {
    expect(witnessSchema.parse(SORTED)).toEqual(SORTED);
  });

  test.each([
    ...Object.keys(SORTED).map((key) => ({ ...SORTED, [key]: undefined })),
    ...Object.keys(SORTED.base).map((key) => ({ ...SORTED, base: { ...SORTED.base, [key]: undefined } })),
    ...["name", "bounds"].map((key) => ({
      ...SORTED,
      base: { ...SORTED.base, type_params: [{ ...SORTED.base.type_params[0], [key]: undefined }] },
    })),
    ...Object.keys(SORTED.invariants[0]!).map((key) => ({ ...SORTED, invariants: [{ ...SORTED.invariants[0], [key]: undefined }] })),
    ...["name", "trust_level"].map((key) => ({ ...SORTED, constructors: [{ ...SORTED.constructors[0], [key]: undefined }] })),
    { ...SORTED, constructors: [{ name: "a", trust_level: "trusted" }] },
    { ...SORTED, name: "sorted vec" },
    { ...SORTED, level: "proof" },
  ])("[CRI-097] needs each of them and no other: %j", (definition) => expect(witnessSchema.safeParse(definition).success).toBe(false));
});

describe("levels", () => {
  test("[CRI-098] are proof, distinction, runtime and doc, as tiers 1 to 4", () => {
    expect(WITNESS_LEVELS.map((level) => [level, TIER_OF_LEVEL[level]])).toEqual([
      ["proof", 1],
      ["distinction", 2],
      ["runtime", 3],
      ["doc", 4],
    ]);
  });

  test("[CRI-099] have a default for each language", () => {
    expect(DEFAULT_LEVEL).toEqual({
      rust: "distinction",
      typescript: "distinction",
      python: "runtime",
      go: "runtime",
      java: "runtime",
      cpp: "distinction",
    });
    expect(LANGUAGE_IDS.map((id) => defaultLevel(id))).toEqual(LANGUAGE_IDS.map((id) => DEFAULT_LEVEL[id]));
    expect(LANGUAGE_IDS.filter((id) => defaultLevel(id, { typestate: true }) === "proof")).toEqual(["rust"]);
  });

  test("[CRI-101] degrade to the next lower one that can express an invariant, and to doc in the end", () => {
    expect(degrade("proof", (level) => level === "runtime")).toBe("runtime");
    expect(degrade("distinction", () => true)).toBe("distinction");
    expect(degrade("proof", () => false)).toBe("doc");
    fc.assert(
      fc.property(fc.constantFrom(...WITNESS_LEVELS), fc.subarray([...WITNESS_LEVELS]), (wanted, possible) => {
        const level = degrade(wanted, (one) => possible.includes(one));
        expect(TIER_OF_LEVEL[level]).toBeGreaterThanOrEqual(TIER_OF_LEVEL[wanted]);
        for (const between of WITNESS_LEVELS.slice(TIER_OF_LEVEL[wanted] - 1, TIER_OF_LEVEL[level] - 1))
          expect(possible).not.toContain(between);
        expect(level === "doc" || possible.includes(level)).toBe(true);
      }),
    );
  });

  test("of a witness are those of its weakest invariant", () => {
    expect(weakestLevel([], "distinction")).toBe("distinction");
    expect(weakestLevel(["distinction", "doc", "runtime"], "distinction")).toBe("doc");
    expect(weakestLevel(["proof"], "distinction")).toBe("distinction");
  });
});

test("[CRI-100] the capability matrix has these values", () => {
  const matrix = {
    rust: ["full", "via newtype", "full", "full", "full"],
    typescript: ["via brands", "full", "n/a", "no", "via interfaces"],
    python: ["no", "via NewType", "no", "no", "via Protocol"],
    go: ["no", "via type def", "full", "no", "via interfaces"],
    java: ["limited", "via wrapper", "full", "no", "full"],
  } as const;
  expect(TYPE_FEATURES).toEqual(["phantom types", "branded types", "newtype", "const generics", "marker traits"]);
  expect(Object.keys(CAPABILITIES)).toEqual(Object.keys(matrix));
  for (const id of Object.keys(matrix) as (keyof typeof matrix)[])
    expect(TYPE_FEATURES.map((feature) => capability(id, feature))).toEqual(matrix[id]);
  expect(capability("cpp", "newtype")).toBeNull();
});
