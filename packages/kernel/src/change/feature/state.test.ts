import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { checkSchema } from "../../schema/violations.ts";
import { stateBody, stateMarkdown } from "../views/projection.ts";
import { stateOf, stateSchema, type StateFacts } from "./state.ts";
import { mergePatch } from "./state-patch.ts";

const feature: StateFacts["feature"] = {
  id: "letters",
  run_id: "run1",
  status: "planning",
  status_reason: "",
  version: 1,
  branch: "letters",
  worktree: "/r/.worktrees/letters",
  base_branch: "main",
  base_commit: "b".repeat(40),
  tree: "t".repeat(40),
  spec_source: "letters.md",
  spec_digest: "d".repeat(64),
  gate_profile: "default",
  gates: "{}",
  cluster: '{"orchestrator_session_id":"o","planner_session_id":"unknown","builder_session_id":"unknown","qa_session_id":"unknown"}',
  role_status: '{"planner":"ready","builder":"ready","qa":"ready"}',
  collisions: '{"files":[],"areas":[],"contracts":[]}',
  evidence: "{}",
  extra: "{}",
  created_at: 1_000,
  updated_at: 2_000,
};
const facts = (changes: Partial<typeof feature> = {}): StateFacts => ({
  feature: { ...feature, ...changes },
  held: [],
  modes: ["fast", "full"],
});
const state = stateOf(facts());
const REQUIRED = ["feature_id", "version", "branch", "worktree_path", "status", "gate_profile", "gates", "locks", "collisions", "cluster"];

describe("the schema of a state", () => {
  test.each([...REQUIRED, "role_status", "last_updated"])("[FEA-033] needs %s", (field) => {
    const { [field]: _left, ...rest } = state;
    const checked = checkSchema(stateSchema, rest);
    expect(checked.ok ? [] : checked.violations.map(({ pointer, rule }) => `${rule} ${pointer.split("/")[1]}`)).toContain(
      `required ${field}`,
    );
  });

  test("[FEA-033] keeps unknown properties, and refuses a version below 1", () => {
    const loose = { ...state, ticket: { id: 7 } };
    expect(checkSchema(stateSchema, loose)).toEqual({ ok: true, value: loose });
    expect(checkSchema(stateSchema, { ...state, version: 0 }).ok).toBe(false);
    expect(checkSchema(stateSchema, { ...state, version: 1.5 }).ok).toBe(false);
  });

  test.each([
    ["/status", { status: "done" }],
    ["/gates/fast", { gates: { fast: "passed" } }],
    ["/locks/held", { locks: { held: "openapi" } }],
    ["/locks/held/0", { locks: { held: [1] } }],
    ["/collisions/areas", { collisions: { files: [], contracts: [] } }],
    ["/collisions/files/0", { collisions: { files: ["a.ts"], areas: [], contracts: [] } }],
  ])("[FEA-034] an invalid %s is refused", (pointer, change) => {
    expect(checkSchema(stateSchema, { ...state, ...change })).toMatchObject({ ok: false, violations: [{ pointer }] });
  });

  test.each([
    ["/cluster/qa_session_id", { cluster: { ...state.cluster, qa_session_id: 3 } }],
    ["/cluster/orchestrator_session_id", { cluster: {} }],
    ["/role_status/builder", { role_status: { planner: "done", builder: "busy", qa: "ready" } }],
    ["/role_status/qa", { role_status: { planner: "done", builder: "ready" } }],
  ])("[FEA-035] an invalid %s is refused", (pointer, change) => {
    const checked = checkSchema(stateSchema, { ...state, ...change });
    expect(checked.ok ? [] : checked.violations.map((violation) => violation.pointer)).toContain(pointer);
  });

  test.each([
    ["/last_updated", { last_updated: "yesterday" }],
    ["/evidence", { evidence: "none" }],
    ["/status_reason", { status_reason: 4 }],
  ])("[FEA-036] an invalid %s is refused; evidence and reason may be missing", (pointer, change) => {
    expect(checkSchema(stateSchema, { ...state, ...change })).toMatchObject({ ok: false, violations: [{ pointer }] });
    const { evidence: _evidence, status_reason: _reason, ...without } = state;
    expect(checkSchema(stateSchema, without).ok).toBe(true);
  });
});

describe("the state of a feature", () => {
  test("[FEA-070] starts with every gate na, no lock and no collision", () => {
    expect(state).toMatchObject({
      status: "planning",
      version: 1,
      gates: { plan: "na", fast: "na", full: "na" },
      locks: { held: [] },
      collisions: { files: [], areas: [], contracts: [] },
      role_status: { planner: "ready", builder: "ready", qa: "ready" },
    });
    expect(state).not.toHaveProperty("status_reason");
    expect(state).not.toHaveProperty("evidence");
  });

  test("[FEA-158] names the specification's source and hash", () => {
    expect(state.source).toEqual({ spec_path: "letters.md", spec_sha256: feature.spec_digest });
  });

  test("columns of the row win over extra properties of the same name", () => {
    const forged = stateOf(facts({ extra: '{"version":99,"ticket":"T-1"}', evidence: '{"last_gate_id":"g"}', status_reason: "why" }));
    expect(forged).toMatchObject({ version: 1, ticket: "T-1", evidence: { last_gate_id: "g" }, status_reason: "why" });
  });

  test("as Markdown it reads back as the same front matter, for any texts", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.dictionary(fc.string(), fc.jsonValue()), (reason, extra) => {
        const made = stateOf(facts({ status_reason: reason, extra: JSON.stringify(extra) }));
        const text = stateMarkdown(made);
        const body = stateBody(made);
        expect(text.endsWith(body)).toBe(true);
        const front = text.slice(4, text.length - body.length - 4);
        expect(parse(front, { stringKeys: true })).toEqual(JSON.parse(JSON.stringify(made)));
      }),
      { numRuns: 200 },
    );
  });
});

describe("a merge patch", () => {
  test.each([
    [{ a: 1 }, { b: 2 }, { a: 1, b: 2 }],
    [{ a: { b: 1, c: 2 } }, { a: { b: null, d: 3 } }, { a: { c: 2, d: 3 } }],
    [{ a: [1, 2] }, { a: [3] }, { a: [3] }],
    [{ a: 1 }, { a: { b: { c: null } } }, { a: { b: {} } }],
    [{ a: { b: 1 } }, { a: "text" }, { a: "text" }],
  ])("%j with %j is %j", (target, patch, merged) => {
    expect(mergePatch(target, patch)).toEqual(merged);
  });

  test("attack 52: no key reaches a prototype", () => {
    const merged = mergePatch({}, JSON.parse('{"__proto__":{"polluted":true},"a":{"__proto__":{"polluted":true}}}'));
    expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
    expect((merged as { polluted?: boolean }).polluted).toBeUndefined();
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});
