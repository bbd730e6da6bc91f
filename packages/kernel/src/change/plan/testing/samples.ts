import { parsePolicy, type Policy } from "../../../config/policy.ts";
import { policyYaml } from "../../../config/testing/samples.ts";
import { parsePlan, type Plan } from "../schema.ts";

export const PLAN = {
  feature_id: "greeting",
  plan_version: 1,
  summary: "Greet by name",
  allowed_areas: ["src", "test"],
  forbidden_areas: ["src/secret"],
  base_ref: "main",
  files: { create: ["src/new.ts"], modify: ["src/greet.ts"], delete: ["src/old.ts"] },
  contracts: { openapi: "none", events: "none", db: "none" },
  acceptance_criteria: ["greets by name"],
  gate_profile: "default",
};

export function planOf(changes: Readonly<Record<string, unknown>> = {}): Plan {
  const result = parsePlan({ ...PLAN, ...changes });
  if (!result.ok) throw new Error(JSON.stringify(result.violations));
  return result.value;
}

export function policyOf(changes: Readonly<Record<string, unknown>> = {}): Policy {
  return parsePolicy("slipway/policy.yaml", policyYaml(changes));
}
