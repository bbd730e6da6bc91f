import { describe, expect, test } from "vitest";
import { z } from "zod";
import { parsePlan, plannedFiles, planSchema } from "./schema.ts";
import { PLAN, planOf } from "./testing/samples.ts";

const violations = (value: unknown) => {
  const result = parsePlan(value);
  return result.ok ? [] : result.violations.map(({ pointer, rule }) => `${pointer} ${rule}`);
};
const without = (field: string) => Object.fromEntries(Object.entries(PLAN).filter(([key]) => key !== field));

test("[FEA-025] every required field is required, and unknown fields are refused at any level", () => {
  const required = [
    "feature_id",
    "plan_version",
    "summary",
    "allowed_areas",
    "forbidden_areas",
    "base_ref",
    "files",
    "contracts",
    "acceptance_criteria",
  ];
  for (const field of required) {
    expect(violations(without(field)).length).toBeGreaterThan(0);
    expect(violations(without(field)).every((line) => line.startsWith(`/${field}`) && line.endsWith("required"))).toBe(true);
  }
  // A missing gate_profile gets its default; an explicit null does not.
  expect(violations({ ...PLAN, gate_profile: null })).toEqual(["/gate_profile type"]);
  const step = { name: "unit", cmd: ["x"] };
  const overrides = (extra: Record<string, unknown>, at: "top" | "modes" | "mode" | "step") => ({
    modes: {
      fast: { steps: [{ ...step, ...(at === "step" ? extra : {}) }], ...(at === "mode" ? extra : {}) },
      ...(at === "modes" ? extra : {}),
    },
    ...(at === "top" ? extra : {}),
  });
  const extra = { surprise: 1 };
  expect(violations({ ...PLAN, ...extra })).toEqual(["/surprise unknown_field"]);
  expect(violations({ ...PLAN, files: { ...PLAN.files, ...extra } })).toEqual(["/files/surprise unknown_field"]);
  expect(violations({ ...PLAN, contracts: { ...PLAN.contracts, ...extra } })).toEqual(["/contracts/surprise unknown_field"]);
  for (const at of ["top", "modes", "mode", "step"] as const) {
    expect(violations({ ...PLAN, verification_overrides: overrides(extra, at) })).toMatchObject([
      expect.stringMatching(/surprise unknown_field$/),
    ]);
  }
});

describe("fields", () => {
  test.each([
    ["feature_id", "Greeting", "/feature_id format"],
    ["feature_id", "-x", "/feature_id format"],
    ["feature_id", "", "/feature_id format"],
    ["plan_version", 0, "/plan_version minimum"],
    ["plan_version", 1.5, "/plan_version type"],
    ["plan_version", "1", "/plan_version type"],
    ["summary", "four", "/summary minimum"],
    ["base_ref", "", "/base_ref minimum"],
    ["allowed_areas", [], "/allowed_areas minimum"],
    ["allowed_areas", [""], "/allowed_areas/0 minimum"],
    ["forbidden_areas", [""], "/forbidden_areas/0 minimum"],
    ["acceptance_criteria", [], "/acceptance_criteria minimum"],
    ["acceptance_criteria", [""], "/acceptance_criteria/0 minimum"],
    ["gate_profile", "", "/gate_profile minimum"],
    ["gate_targets", [], "/gate_targets minimum"],
    ["gate_targets", [""], "/gate_targets/0 minimum"],
    ["risk", [""], "/risk/0 minimum"],
    ["revision_of", 0, "/revision_of minimum"],
    ["revision_of", 1.5, "/revision_of type"],
    ["revision_reason", "", "/revision_reason minimum"],
  ])("%s of %j is refused", (field, value, expected) => {
    expect(violations({ ...PLAN, [field]: value })).toEqual([expected]);
  });

  test("[FEA-027] one area and one criterion suffice, and forbidden areas may be empty", () => {
    expect(violations({ ...PLAN, allowed_areas: ["src"], acceptance_criteria: ["x"], forbidden_areas: [] })).toEqual([]);
    for (const field of ["allowed_areas", "acceptance_criteria"])
      expect(violations({ ...PLAN, [field]: [] })).toEqual([`/${field} minimum`]);
    for (const field of ["allowed_areas", "acceptance_criteria", "forbidden_areas"])
      expect(violations({ ...PLAN, [field]: [""] })).toEqual([`/${field}/0 minimum`]);
  });

  test("[FEA-028] files and contracts have exactly three parts", () => {
    expect(violations({ ...PLAN, files: { create: [], modify: [], delete: [] } })).toEqual([]);
    for (const part of ["create", "modify", "delete"]) {
      expect(violations({ ...PLAN, files: { ...PLAN.files, [part]: undefined } })).toEqual([`/files/${part} required`]);
      expect(violations({ ...PLAN, files: { ...PLAN.files, [part]: [""] } })).toEqual([`/files/${part}/0 minimum`]);
    }
    const legal = { openapi: ["none", "modify"], events: ["none", "modify"], db: ["none", "migration"] };
    for (const [part, values] of Object.entries(legal)) {
      for (const value of values) expect(violations({ ...PLAN, contracts: { ...PLAN.contracts, [part]: value } })).toEqual([]);
      expect(violations({ ...PLAN, contracts: { ...PLAN.contracts, [part]: part === "db" ? "modify" : "migration" } })).toEqual([
        `/contracts/${part} enum`,
      ]);
      expect(violations({ ...PLAN, contracts: { ...PLAN.contracts, [part]: undefined } })).toEqual([`/contracts/${part} required`]);
    }
    expect(violations({ ...PLAN, files: { ...PLAN.files, rename: [] } })).toEqual(["/files/rename unknown_field"]);
    expect(violations({ ...PLAN, contracts: { ...PLAN.contracts, graphql: "none" } })).toEqual(["/contracts/graphql unknown_field"]);
  });

  test("[FEA-029] a missing gate_profile gets its default", () => {
    const result = parsePlan(without("gate_profile"));
    expect(result.ok && result.value.gate_profile).toBe("default");
    expect(violations({ ...PLAN, gate_profile: "" })).toEqual(["/gate_profile minimum"]);
  });

  test("[FEA-030] optional fields are accepted", () => {
    const optional = {
      gate_targets: ["a"],
      risk: [],
      revision_of: 1,
      revision_reason: "collision",
      verification_overrides: { modes: { fast: { steps: [] }, full: {} } },
    };
    expect(planOf(optional)).toMatchObject(optional);
    const wrong = { gate_targets: [], risk: [""], revision_of: 0, revision_reason: "", verification_overrides: [] };
    for (const [field, value] of Object.entries(wrong)) expect(violations({ ...PLAN, [field]: value })).toHaveLength(1);
  });

  test("[FEA-031] overrides name steps of fast and full only, with name, command and optional timeout", () => {
    const steps = (...list: unknown[]) => violations({ ...PLAN, verification_overrides: { modes: { full: { steps: list } } } });
    expect(steps({ name: "unit", cmd: ["npm", "test"] }, { name: "unit", cmd: ["x"], timeout_seconds: 1 })).toEqual([]);
    expect(steps({ name: "", cmd: [], timeout_seconds: 0.5 })).toHaveLength(3);
    expect(steps({ cmd: ["x", ""] })).toHaveLength(2);
    expect(violations({ ...PLAN, verification_overrides: { modes: { merge: { steps: [] } } } })).toEqual([
      "/verification_overrides/modes/merge unknown_field",
    ]);
  });
});

test("paths are returned in canonical form, and one outside the repository has its own code", () => {
  const plan = planOf({ allowed_areas: ["./src/"], files: { create: ["src//a.ts"], modify: ["./src/b.ts"], delete: [] } });
  expect(plan.allowed_areas).toEqual(["src"]);
  expect(plannedFiles(plan)).toEqual([
    { path: "src/a.ts", operation: "create" },
    { path: "src/b.ts", operation: "modify" },
  ]);
  for (const path of ["../x", "/etc/passwd", ".git/config"]) {
    const result = parsePlan({ ...PLAN, files: { ...PLAN.files, create: [path] } });
    expect(result.ok ? null : result.violations).toMatchObject([{ pointer: "/files/create/0", code: "path_out_of_bounds" }]);
  }
});

test("a stored plan reads back unchanged", () => {
  const plan = planOf({ gate_targets: ["x"], verification_overrides: { modes: { fast: { steps: [{ name: "n", cmd: ["c"] }] } } } });
  expect(planSchema.parse(JSON.parse(JSON.stringify(plan)))).toEqual(plan);
});

test("the JSON Schema for agents closes every object", () => {
  const text = JSON.stringify(z.toJSONSchema(planSchema, { io: "input" }));
  expect(text.match(/"additionalProperties":false/g)).toHaveLength(9);
  expect(text).toContain('"pattern":"^[a-z0-9_][a-z0-9_-]*$"');
});
