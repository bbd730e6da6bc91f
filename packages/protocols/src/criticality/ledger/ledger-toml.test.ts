import { CONFIDENCES, DECISION_STATUSES, type Decision } from "@slipway/kernel/record/decisions/decision";
import fc from "fast-check";
import { parse } from "smol-toml";
import { expect, test } from "vitest";
import { ledgerToml } from "./ledger-toml.ts";
import { readLedger } from "./testing/read-ledger.ts";

const META = { spec_version: "1.0.0", created: "2026-01-23T10:00:00.000Z" };

const entry = (changes: Partial<Decision> = {}): Decision => ({
  id: "d001",
  timestamp: "2026-01-23T10:00:00.000Z",
  constraint: "Tokens are signed with RS256",
  category: "architectural",
  source: "user_explicit",
  phase: "ignition",
  confidence: "canonical",
  dependencies: [],
  status: "active",
  ...changes,
});

test("[CRI-087] the file has one table meta with version and time, and an array of tables of decisions", () => {
  const text = ledgerToml(META, [entry(), entry({ id: "d002", dependencies: ["d001"] })]);
  expect(text).toMatch(/^\[meta\]\nspec_version = "1.0.0"\ncreated = "2026-01-23T10:00:00.000Z"\n/);
  expect(text.match(/^\[\[decisions\]\]$/gm)).toHaveLength(2);
  expect(text.match(/^\[(?!\[|meta\])/gm)).toBeNull();
  expect(parse(text)["meta"]).toEqual(META);
});

test("[CRI-088] an entry is written with all its fields, optional ones only when they are there", () => {
  const [first, second] = parse(
    ledgerToml(META, [entry(), entry({ id: "d002", failure_context: "f", contradiction_resolved: "c", user_notes: "u", rationale: "r" })]),
  )["decisions"] as [object, object];
  const required = ["category", "confidence", "constraint", "dependencies", "id", "phase", "source", "status", "timestamp"];
  expect(Object.keys(first).toSorted()).toEqual(required);
  expect(Object.keys(second).toSorted()).toEqual(
    [...required, "failure_context", "contradiction_resolved", "user_notes", "rationale"].toSorted(),
  );
});

test("an empty ledger is a file with meta only", () => {
  expect(readLedger(ledgerToml(META, []))).toEqual({ meta: META, decisions: [] });
});

const text = fc
  .string({ unit: "binary", minLength: 1, maxLength: 60 })
  .filter((value) => value.trim() !== "" && !value.includes("\0") && value.isWellFormed());
const optional = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: undefined });
const entries: fc.Arbitrary<Decision[]> = fc
  .array(
    fc.record({
      constraint: text,
      confidence: fc.constantFrom(...CONFIDENCES),
      status: fc.constantFrom(...DECISION_STATUSES),
      rationale: optional(text),
      user_notes: optional(text),
      failure_context: optional(text),
      before: fc.array(fc.nat(5), { maxLength: 3 }),
    }),
    { maxLength: 6 },
  )
  .map((drafts) =>
    drafts.map(({ before, ...draft }, index) => {
      const dependencies = [...new Set(before.filter((at) => at < index).map((at) => `e${at}`))];
      const given = Object.fromEntries(Object.entries(draft).filter(([, value]) => value !== undefined));
      return entry({ ...given, id: `e${index}`, dependencies });
    }),
  );

test("[CRI-088] what was written is read back the same, whatever the texts contain", () => {
  fc.assert(
    fc.property(entries, (list) => {
      expect(readLedger(ledgerToml(META, list))).toEqual({ meta: META, decisions: list });
    }),
  );
});

test("a text that looks like TOML stays a text", () => {
  const constraint = '"""\n[[decisions]]\nid = "d999"\n\u001b[31m\ufeff';
  expect(readLedger(ledgerToml(META, [entry({ constraint })])).decisions).toEqual([entry({ constraint })]);
});

test.each([
  ["another confidence", entry({ confidence: "certain" as "canonical" })],
  ["an unknown field", { ...entry(), more: 1 } as Decision],
])("[CRI-089] %s is outside of the schema, which validate_schema applies", (_case, given) => {
  expect(() => readLedger(ledgerToml(META, [given]))).toThrow();
});
