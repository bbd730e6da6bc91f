import { SlipwayError } from "@slipway/agents/errors";
import type { Plan } from "@slipway/kernel/change/plan/schema";
import type { ChangeRun, OperationResult } from "./change-run.ts";
import { mustPerform, perform } from "./perform.ts";
import { revisePlan } from "./revise-plan.ts";
import { CHANGE_STEPS } from "./steps.ts";
import { submitInTurn } from "./submit-plan.ts";

/** What the plan of a change says besides its files. */
export interface PlanText {
  readonly summary: string;
  readonly acceptance_criteria: readonly string[];
}

/** A patch that an agent of a protocol made. */
export interface AgentPatch {
  /** Unique in the change. */
  readonly name: string;
  /** Who made it, for the journal. */
  readonly agent: string;
  readonly diff: string;
  readonly text: PlanText;
}

export interface AppliedAgentPatch {
  readonly tree: string;
  readonly changed: readonly string[];
}

/** Creates the worktree and the branch of the change. If something of a person's is in the way, they are asked. */
export async function beginChange(change: ChangeRun, spec: { readonly spec_source: string; readonly spec_digest: string }): Promise<void> {
  const { features } = change.services.kernel;
  const input = { feature_id: change.id, run_id: change.ctx.runId, spec_source: spec.spec_source, spec_digest: spec.spec_digest };
  await mustPerform(change, CHANGE_STEPS.init.named(), (call) => features.init(call, input), { asksAlways: true });
}

/**
 * Makes sure that the accepted plan names these files: submits the first plan, or revises it. Collisions with other features are decided
 * here. The value is null if a person gave the change up.
 */
export async function planFiles(
  change: ChangeRun,
  name: string,
  files: Plan["files"],
  text: PlanText,
): Promise<OperationResult<Plan | null>> {
  const { kernel } = change.services;
  const accepted = await change.ctx.step(`accepted:${name}`, async () => (await kernel.features.acceptedPlan(change.id)) ?? null);
  if (accepted === null) return submitInTurn(change, name, planOf(change, files, text));
  const merged = joined(accepted.files, files);
  if (isSame(accepted.files, merged)) return { ok: true, value: accepted };
  const { plan_version: version } = accepted;
  const revised: Plan = {
    ...accepted,
    ...planOf(change, merged, text),
    plan_version: version + 1,
    revision_of: version,
    revision_reason: `${name}: the change needs more files`,
  };
  return revisePlan(change, name, revised, version);
}

/** Applies an agent's patch to the change, after the plan names every file that it touches. The value is null if a person gave up. */
export async function applyAgentPatch(
  change: ChangeRun,
  { name, agent, diff, text }: AgentPatch,
): Promise<OperationResult<AppliedAgentPatch | null>> {
  const { features } = change.services.kernel;
  const targets = await perform(change, `targets:${name}`, () => features.patchTargets(change.id, diff));
  if (!targets.ok) return targets;
  const planned = await planFiles(change, name, targets.value, text);
  if (!planned.ok) return planned;
  if (planned.value === null) return { ok: true, value: null };
  return perform<AppliedAgentPatch>(
    change,
    CHANGE_STEPS.patch.named(name),
    async (call) => {
      const { tree, changed } = await features.applyPatch(call, { feature_id: change.id, unified_diff: diff });
      return { tree, changed: changed.map(({ path }) => path) };
    },
    {
      as: ({ ctx }, step) => ({ actor: { type: "builder", id: `${agent}@${ctx.runId}` }, operationId: `${ctx.runId}/${step}` }),
    },
  );
}

function planOf({ id, services }: ChangeRun, files: Plan["files"], { summary, acceptance_criteria }: PlanText): Plan {
  const { path_rules, worktree } = services.kernel.configuration.policy;
  const areas = areasOf([...files.create, ...files.modify, ...files.delete]);
  if (areas.length === 0) throw new SlipwayError("plan_not_found", `The plan of ${id} names no file.`, { feature_id: id });
  return {
    feature_id: id,
    plan_version: 1,
    summary,
    allowed_areas: areas.flatMap((area) => (path_rules.matching === "glob" ? [area, `${area}/**`] : [area])),
    forbidden_areas: [],
    base_ref: worktree.base_branch,
    files,
    contracts: { openapi: "none", events: "none", db: "none" },
    acceptance_criteria: [...acceptance_criteria],
    gate_profile: "default",
  };
}

/** The top folders and files. */
export function areasOf(paths: readonly string[]): string[] {
  return [...new Set(paths.map((path) => path.split("/")[0] ?? path))].toSorted();
}

/** A path is in one list only. A created file may be changed and removed again without another list. */
function joined(before: Plan["files"], more: Plan["files"]): Plan["files"] {
  const create = union(before.create, more.create);
  const removed = union(before.delete, more.delete).filter((path) => !create.includes(path));
  const modify = union(before.modify, more.modify).filter((path) => !create.includes(path) && !removed.includes(path));
  return { create, modify, delete: removed };
}

function union(left: readonly string[], right: readonly string[]): string[] {
  return [...new Set([...left, ...right])];
}

function isSame(left: Plan["files"], right: Plan["files"]): boolean {
  return (["create", "modify", "delete"] as const).every((list) => left[list].toSorted().join("\0") === right[list].toSorted().join("\0"));
}
