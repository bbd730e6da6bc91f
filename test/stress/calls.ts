import type { Arguments, Client } from "./client.ts";

export const FEATURES = ["f1", "f2", "f3", "f4", "f5"] as const;
export const RESOURCES = ["db_migrations", "openapi"] as const;
const NAMES = 12;

interface Chosen {
  readonly tool: string;
  readonly args: Arguments;
}

type Random = () => number;

/** One call that is possible now; about a third come too late or ask for too much, and are refused. */
export async function chooseCall(client: Client, random: Random): Promise<Chosen> {
  const feature_id = pick(FEATURES, random);
  switch (Math.floor(random() * 8)) {
    case 0:
    case 1:
      return { tool: "repo.apply_patch", args: { feature_id, unified_diff: creating(feature_id, Math.floor(random() * NAMES)) } };
    case 2:
      return { tool: "gates.run", args: { feature_id, profile: "default", mode: "fast" } };
    case 3:
      return { tool: "locks.acquire", args: { feature_id, resource: pick(RESOURCES, random), wait_timeout_seconds: 0 } };
    case 4:
      return { tool: "locks.release", args: { feature_id, resource: pick(RESOURCES, random) } };
    case 5:
      return { tool: "feature.log_append", args: { feature_id, note: `note ${Math.floor(random() * 1e9)}` } };
    case 6:
      return { tool: "plan.update", args: await nextPlan(client, feature_id) };
    default:
      return { tool: "feature.state_patch", args: await statePatch(client, feature_id, random) };
  }
}

export function planOf(feature_id: string, plan_version: number): Record<string, unknown> {
  return {
    feature_id,
    plan_version,
    summary: `version ${plan_version} of the plan`,
    allowed_areas: [`src/${feature_id}`],
    forbidden_areas: [],
    base_ref: "main",
    files: { create: Array.from({ length: NAMES }, (_, index) => fileOf(feature_id, index)), modify: [], delete: [] },
    contracts: { openapi: "none", events: "none", db: "none" },
    acceptance_criteria: ["it is there"],
    gate_profile: "default",
    ...(plan_version > 1 && { revision_of: plan_version - 1, revision_reason: "once more" }),
  };
}

async function nextPlan(client: Client, feature_id: string): Promise<Arguments> {
  const answer = await client.call("plan.get", { feature_id });
  const version = answer.ok ? Number((answer.data as { plan: { plan_version: number } }).plan.plan_version) : 0;
  return { feature_id, expected_plan_version: version, plan_json: planOf(feature_id, version + 1) };
}

async function statePatch(client: Client, feature_id: string, random: Random): Promise<Arguments> {
  const answer = await client.call("feature.state_get", { feature_id });
  const version = answer.ok ? Number((answer.data as { state: { version: number } }).state.version) : 0;
  const builder = pick(["ready", "running", "done"], random);
  return { feature_id, expected_version: version, patch: { role_status: { planner: "done", builder, qa: "ready" } } };
}

function fileOf(feature: string, index: number): string {
  return `src/${feature}/${index}.txt`;
}

function creating(feature: string, index: number): string {
  const path = fileOf(feature, index);
  return `diff --git a/${path} b/${path}\nnew file mode 100644\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+${feature} ${index}\n`;
}

function pick<T>(choices: readonly T[], random: Random): T {
  return choices[Math.floor(random() * choices.length)] as T;
}
