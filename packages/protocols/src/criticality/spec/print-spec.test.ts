import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { printClaims, testableClaims } from "./claims.ts";
import { printSpec } from "./print-spec.ts";
import { CLAIMS_FILE, putSpec, SPEC_FILE } from "./put-spec.ts";
import { readSpec } from "./read-spec.ts";
import { systemSpecSchema, type SystemSpec } from "./schema.ts";
import { diffSpecs, isEmptyDiff } from "./spec-diff.ts";
import { sampleSpec } from "./testing/specs.ts";
import { versionAfter } from "./version.ts";
import { PHASES } from "../routing/roles.ts";

const text = fc.string({ unit: "binary", maxLength: 40 }).filter((value) => /\S/.test(value));
const texts = fc.array(text, { maxLength: 4 });
const identifier = fc.stringMatching(/^[A-Za-z][A-Za-z0-9_]{0,8}$/).filter((name) => !["constructor", "prototype"].includes(name));
const named = <T>(entry: fc.Arbitrary<T>, name: fc.Arbitrary<string> = identifier) =>
  fc.dictionary(name, entry, { maxKeys: 3, noNullPrototype: true });
const unique = <T extends { name: string }>(entry: fc.Arbitrary<T>) =>
  fc.uniqueArray(entry, { maxLength: 4, selector: ({ name }) => name });

const anySpec: fc.Arbitrary<SystemSpec> = fc
  .record({
    meta: fc.record({ version: fc.constant("1.2.3"), created: fc.constant("2026-11-18T10:00:00Z"), domain: text }),
    system: fc.record({ name: text, description: text }),
    boundaries: fc.record({ external_systems: texts, trust_boundaries: texts }),
    features: named(
      fc.record({
        classification: fc.constantFrom("core" as const, "foundational" as const, "bolt-on" as const),
        description: text,
        affects: texts,
      }),
      fc.stringMatching(/^[a-z][a-z0-9_-]{0,8}$/),
    ),
    data_models: named(fc.record({ fields: unique(fc.record({ name: identifier, type: text, constraints: texts })) })),
    interfaces: named(
      fc.record({
        methods: unique(
          fc.record({
            name: identifier,
            params: fc.array(
              text.map((type) => `p: T${type}`),
              { maxLength: 3 },
            ),
            returns: text,
          }),
        ),
      }),
    ),
    constraints: fc.record({ functional: texts, non_functional: texts, security: texts }),
    claims: named(
      fc.record({ text, type: fc.constantFrom("invariant" as const, "temporal" as const), testable: fc.boolean() }),
      fc.stringMatching(/^[a-z_]{1,6}_[0-9]{1,3}$/),
    ),
  })
  .map((spec) => systemSpecSchema.parse(spec));

test("any specification is read back as it was printed, byte for byte the same when printed again", () => {
  fc.assert(
    fc.property(anySpec, (spec) => {
      const printed = printSpec(spec);
      const read = readSpec("spec.toml", printed);
      expect(read).toEqual(spec);
      expect(printSpec(read)).toBe(printed);
    }),
    { numRuns: 200 },
  );
});

test("a lone surrogate, which TOML cannot express, is replaced", () => {
  const spec = sampleSpec({ system: { name: "x", description: "a\ud800b\u007f" } });
  expect(readSpec("s", printSpec(spec)).system.description).toBe("a\ufffdb\u007f");
});

describe("[CRI-028] claims.toml", () => {
  test("has the testable claims of the specification and no other", () => {
    expect(testableClaims(sampleSpec()).map(({ id }) => id)).toEqual(["balance_001"]);
    expect(printClaims(sampleSpec())).toBe(
      '[meta]\nspec_version = "1.0.0"\n\n[claims.balance_001]\ntext = "Balance never goes negative"\ntype = "invariant"\ntestable = true\n',
    );
  });
});

describe("a difference between specifications", () => {
  test("names types, interfaces, methods, claims, features and constraints", () => {
    const after = sampleSpec({
      data_models: { Account: { fields: [] }, Transfer: { fields: [] } },
      interfaces: { PaymentService: { methods: [{ name: "transfer", params: [], returns: "void" }] }, Audit: { methods: [] } },
      constraints: { functional: [], non_functional: ["Transfer takes < 100 ms"], security: ["No PII in logs", "TLS"] },
      claims: { balance_001: { text: "Balance stays above zero", type: "invariant", testable: true } },
      features: {},
    });
    expect(diffSpecs(sampleSpec(), after)).toEqual({
      types: { added: ["Transfer"], removed: [], changed: ["Account"] },
      interfaces: { added: ["Audit"], removed: [], changed: ["PaymentService"] },
      methods: { added: [], removed: ["PaymentService.get_balance"], changed: ["PaymentService.transfer"] },
      features: { added: [], removed: ["transfers", "multi_currency", "csv_export"], changed: [] },
      claims: { added: [], removed: ["elegance_001"], changed: ["balance_001"] },
      constraints: { added: ["security: TLS"], removed: ["functional: Balance never goes negative"] },
      system: false,
    });
  });

  test("is empty for equal content; swapped, added and removed are exchanged", () => {
    fc.assert(
      fc.property(anySpec, anySpec, (one, two) => {
        expect(isEmptyDiff(diffSpecs(one, structuredClone(one)))).toBe(true);
        const [there, back] = [diffSpecs(one, two), diffSpecs(two, one)];
        expect(there.types.added.toSorted()).toEqual(back.types.removed.toSorted());
        expect(there.methods.changed.toSorted()).toEqual(back.methods.changed.toSorted());
        expect(isEmptyDiff(there)).toBe(isEmptyDiff(back));
      }),
      { numRuns: 100 },
    );
  });
});

describe("[CRI-032] the version of a specification", () => {
  test.each([
    ["1.0.0 at first", null, sampleSpec(), "1.0.0"],
    ["a new major version when a type changes", sampleSpec(), sampleSpec({ data_models: {} }), "2.0.0"],
    [
      "a new major version when a constraint goes",
      sampleSpec(),
      sampleSpec({ constraints: { ...sampleSpec().constraints, security: [] } }),
      "2.0.0",
    ],
    [
      "a new minor version when something is added",
      sampleSpec(),
      sampleSpec({ data_models: { ...sampleSpec().data_models, Extra: { fields: [] } } }),
      "1.1.0",
    ],
    ["a new patch version when nothing changes", sampleSpec(), sampleSpec(), "1.0.1"],
  ])("%s", (_, previous, next, version) => {
    expect(versionAfter(previous, next)).toBe(version);
  });

  test("is never the one it replaces", () => {
    fc.assert(
      fc.property(anySpec, anySpec, (one, two) => {
        expect(versionAfter(one, two)).not.toBe(one.meta.version);
      }),
      { numRuns: 100 },
    );
  });
});

describe("[CRI-032] writing the specification", () => {
  function filesOf() {
    const written = new Map<string, string>();
    return { written, put: (path: string, content: string) => void written.set(path, content) };
  }

  test("in Ignition writes both files", () => {
    const files = filesOf();
    const { specText, claimsText } = putSpec(files, "ignition", sampleSpec(), null);
    expect([...files.written]).toEqual([
      [SPEC_FILE, specText],
      [CLAIMS_FILE, claimsText],
    ]);
    expect(readSpec(SPEC_FILE, specText)).toEqual(sampleSpec());
  });

  test.each(PHASES.filter((phase) => phase !== "ignition"))("in %s is refused, and nothing is written", (phase) => {
    const files = filesOf();
    expect(() => putSpec(files, phase, sampleSpec(), null)).toThrow(expect.objectContaining({ code: "policy_violation" }));
    expect(files.written.size).toBe(0);
  });

  test("a finished version is never given another content", () => {
    const files = filesOf();
    const edited = sampleSpec({ system: { name: "other", description: "other" } });
    expect(() => putSpec(files, "ignition", edited, sampleSpec())).toThrow("Version 1.0.0 is finished");
    expect(files.written.size).toBe(0);
    putSpec(files, "ignition", sampleSpec(), sampleSpec());
    putSpec(files, "ignition", { ...edited, meta: { ...edited.meta, version: "1.1.0" } }, sampleSpec());
    expect(files.written.get(SPEC_FILE)).toContain('version = "1.1.0"');
  });
});
