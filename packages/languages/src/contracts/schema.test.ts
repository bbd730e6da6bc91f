import { describe, expect, test } from "vitest";
import { checkSchema } from "@slipway/kernel/schema/violations";
import { executionLogSchema, shipEvidenceSchema, summaryOf } from "./evidence.ts";
import { contractSchema, DIMENSIONS, type Contract } from "./schema.ts";
import { PARSE_DURATION } from "./testing/samples.ts";

const pointers = (value: unknown, schema: Parameters<typeof checkSchema>[0] = contractSchema) => {
  const checked = checkSchema(schema, value);
  return checked.ok ? [] : checked.violations.map(({ pointer }) => pointer);
};
const changed = (change: object): unknown => ({ ...PARSE_DURATION, ...change });

describe("[FAC-145] the contract of a module", () => {
  test("has these fields, and no others", () => {
    expect(pointers(PARSE_DURATION)).toEqual([]);
    const full: Contract = {
      ...PARSE_DURATION,
      effects: [{ type: "WRITE", target: "the log", description: "one line per call" }],
      dependencies: [{ ref: "MM-clock@^1.0.0", why: "the time of day" }],
      runtime_budgets: { latency_ms_p95: 5, memory_mb_max: 10 },
    };
    expect(pointers(full)).toEqual([]);
    for (const field of Object.keys(PARSE_DURATION)) {
      const { [field as keyof Contract]: _, ...rest } = PARSE_DURATION;
      expect(pointers(rest), field).not.toEqual([]);
    }
    expect(pointers(changed({ author: "kim" }))).toEqual(["/author"]);
  });

  test.each([
    ["/module_id", { module_id: "parse" }],
    ["/module_version", { module_version: "1.0" }],
    ["/inputs/0/type", { inputs: [{ name: "text", type: "TBD", constraints: [] }] }],
    ["/outputs/0/invariants/0", { outputs: [{ name: "minutes", type: "number", invariants: ["n/a"] }] }],
    ["/error_surfaces/0/surface", { error_surfaces: [{ name: "E", when: "always", surface: "signal" }] }],
    ["/effects/0/type", { effects: [{ type: "GET", target: "a", description: "b" }] }],
    ["/modes", { modes: { sync: false, async: false, notes: "" } }],
    ["/dependencies/0/ref", { dependencies: [{ ref: "MM-clock", why: "time" }] }],
    ["/inputs/1/name", { inputs: [...PARSE_DURATION.inputs, ...PARSE_DURATION.inputs] }],
  ])("refuses a wrong %s", (pointer, change) => expect(pointers(changed(change))).toEqual([pointer]));

  test.each(DIMENSIONS)("[FAC-146] without %s it is refused; a module without effects has an empty list", (dimension) => {
    const { [dimension]: _, ...rest } = PARSE_DURATION;
    expect(pointers(rest).every((pointer) => pointer.startsWith(`/${dimension}`))).toBe(true);
    expect(pointers(rest)).not.toEqual([]);
    expect(pointers(changed({ effects: [] }))).toEqual([]);
  });
});

describe("ship evidence", () => {
  const EVIDENCE = {
    module_id: "MM-a",
    module_version: "1.0.0",
    ship_id: "SHIP-0123abcd",
    verified_at: "2026-01-01T00:00:00.000Z",
    verification: { result: "PASS", interface_fingerprint: "a".repeat(64), evidence_ref: "state_store/x" },
    environment: { repo_revision: "abc", dependency_lock_ref: "sha256:1", runner_id: "node" },
  };

  test("has exactly these fields", () => {
    expect(pointers(EVIDENCE, shipEvidenceSchema)).toEqual([]);
    for (const field of Object.keys(EVIDENCE)) {
      const { [field as keyof typeof EVIDENCE]: _, ...rest } = EVIDENCE;
      expect(pointers(rest, shipEvidenceSchema), field).not.toEqual([]);
    }
    const short = { ...EVIDENCE, verification: { ...EVIDENCE.verification, interface_fingerprint: "abc" } };
    expect(pointers(short, shipEvidenceSchema)).toEqual(["/verification/interface_fingerprint"]);
  });

  const tests = [
    { name: "a", result: "PASS" as const, duration_ms: 1 },
    { name: "b", result: "FAIL" as const },
  ];
  const log = (change: object = {}) => ({
    module_id: "MM-a",
    module_version: "1.0.0",
    executed_at: "2026-01-01T00:00:00.000Z",
    tests,
    summary: { total: 2, passed: 1, failed: 1 },
    ...change,
  });

  test.each([
    ["nothing", {}, []],
    ["nothing if all tests passed", { tests: [tests[0]], summary: { total: 1, passed: 1, failed: 0 } }, []],
    ["a wrong total", { summary: { total: 3, passed: 1, failed: 1 } }, ["/summary/total"]],
    ["results that do not match the tests", { summary: { total: 2, passed: 2, failed: 0 } }, ["/summary/passed", "/summary/failed"]],
    ["no test", { tests: [], summary: summaryOf([]) }, ["/tests"]],
    ["a name twice", { tests: [tests[0], tests[0]], summary: { total: 2, passed: 2, failed: 0 } }, ["/tests"]],
    ["another result", { tests: [{ name: "a", result: "SKIP" }], summary: { total: 1, passed: 1, failed: 0 } }, ["/tests/0/result"]],
    ["an invalid time", { executed_at: "yesterday" }, ["/executed_at"]],
  ])("[FAC-155] an execution log is refused for %s", (_, change, expected) => {
    const found = pointers(log(change), executionLogSchema);
    for (const pointer of expected) expect(found).toContain(pointer);
    if (expected.length === 0) expect(found).toEqual([]);
  });
});
