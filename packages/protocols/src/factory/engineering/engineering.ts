import { workflow } from "@slipway/durable/ctx";
import { RELAXED } from "../durability.ts";
import { findDependencies, loadModules, type ModuleBrief } from "./brief.ts";
import { debateModule, type ModuleOutcome } from "./debate/debate.ts";
import { MAX_REVISIONS } from "./debate/rules.ts";
import { interfaceChangeHalt, moduleFailed, planDefect, type Halt, type LastDeliverable, type ModuleFailure } from "./halt.ts";
import { indexStep } from "./index-step.ts";
import type { PlannedModule } from "./micro-plan.ts";
import { dependentsOf, idOf, inDependencyOrder } from "./order.ts";
import { fixOf, proposeFor, shipOverride } from "./person.ts";
import { planTask, type LockedContract, type LockedPlan } from "./plan-task.ts";
import type { EngineeringServices, EngineeringTask } from "./ports.ts";
import { TASK_STEPS } from "../steps.ts";
import { taskRun, type TaskRun } from "./task-run.ts";

/** Raise it whenever a step of the engineering loop is renamed, added, removed or reordered. */
export const ENGINEERING_VERSION = "5";

/** How a task resumes after a person has decided about it. */
export type Resumption =
  /** A person's plan instead of the planner's; the rest starts over. */
  | { readonly kind: "plan"; readonly plan: unknown }
  | (Continued & { readonly kind: "override"; readonly rationale: string })
  | (Continued & { readonly kind: "fix"; readonly description: string; readonly files: Readonly<Record<string, string>> });

interface Continued {
  readonly locked: LockedPlan;
  /** Modules shipped before the halt, as `MM-…@x.y.z`. */
  readonly shipped: readonly string[];
  readonly module_id: string;
  readonly deliverable: LastDeliverable | null;
}

export interface EngineeringInput {
  readonly task: EngineeringTask;
  readonly resumption?: Resumption;
}

export type EngineeringResult = { readonly task_id: string; readonly modules: readonly string[] } & (
  { readonly status: "SHIPPED" } | { readonly status: "HALTED"; readonly halt: Halt; readonly locked: LockedPlan | null }
);

/** Works on one task until its modules are shipped, or until it halts with the decision a person has to make. */
export const engineering = workflow<EngineeringInput, EngineeringResult, EngineeringServices>(
  "factory-task",
  ENGINEERING_VERSION,
  (ctx, input, services) => engineerTask(taskRun(ctx, services, input.task), input.resumption),
  RELAXED,
);

export async function engineerTask(run: TaskRun, resumption?: Resumption): Promise<EngineeringResult> {
  const { task_id } = run.task;
  const continued = resumption?.kind === "override" || resumption?.kind === "fix" ? resumption : null;
  const planned =
    continued === null
      ? await planTask(run, resumption?.kind === "plan" ? resumption.plan : undefined)
      : { ok: true as const, locked: continued.locked };
  if (!planned.ok) return { task_id, modules: [], status: "HALTED", halt: planned.halt, locked: null };
  return buildModules(run, planned.locked, continued);
}

/** Builds every module whose dependencies shipped; dependents of a failed module are skipped. */
async function buildModules(
  run: TaskRun,
  locked: LockedPlan,
  continued: Exclude<Resumption, { kind: "plan" }> | null,
): Promise<EngineeringResult> {
  const { task } = run;
  const { modules } = locked.plan;
  const shipped = [...(continued?.shipped ?? [])];
  const failed: ModuleFailure[] = [];
  const halted = (halt: Halt): EngineeringResult => ({ task_id: task.task_id, modules: shipped, status: "HALTED", halt, locked });
  const order = inDependencyOrder(modules);
  for (const module of order.ok ? order.modules : []) {
    const abandoned = dependentsOf(
      failed.map(({ module_id }) => module_id),
      modules,
    );
    if (abandoned.includes(module.module_id) || shipped.some((ref) => idOf(ref) === module.module_id)) continue;
    const outcome = await buildModule(run, locked, module, continued);
    if (outcome.status === "shipped") shipped.push(`${outcome.shipped.module_id}@${outcome.shipped.version}`);
    else if (outcome.status === "failed") failed.push(outcome.failure);
    else if (outcome.status === "plan_defect")
      return halted(planDefect(task, locked.plan, outcome.failure, outcome.recommendation, shipped));
    else return halted(interfaceChangeHalt(task, module.module_id, outcome.exception_id, outcome.raised, outcome.rounds, shipped));
  }
  if (failed.length === 0) return { task_id: task.task_id, modules: shipped, status: "SHIPPED" };
  return halted(
    moduleFailed(
      task,
      failed,
      dependentsOf(
        failed.map(({ module_id }) => module_id),
        modules,
      ),
      shipped,
    ),
  );
}

async function buildModule(
  run: TaskRun,
  locked: LockedPlan,
  module: PlannedModule,
  continued: Exclude<Resumption, { kind: "plan" }> | null,
): Promise<ModuleOutcome> {
  const { module_id } = module;
  const contract = locked.contracts.find((one) => one.contract.module_id === module_id);
  if (contract === undefined) return reused(run, module);
  const brief = await briefFor(run, module, contract);
  if (typeof brief === "string") return { status: "failed", failure: nothingMade(contract, brief) };
  const mine = continued?.module_id === module_id ? continued : null;
  if (mine?.kind === "override" && mine.deliverable !== null) return shipOverride(run, brief, mine.deliverable, mine.rationale);
  const found = await indexStep(run, `${module_id}/search`, () => run.services.index.search(module.purpose));
  if (mine?.kind !== "fix") return debateModule(run, brief, found, { given: null, retryCount: 0 });
  // No revisions: if a person's fix fails, the question goes back to the person.
  const given = await proposeFor(run, brief, fixOf(mine.deliverable, mine), mine.deliverable?.ref ?? null);
  return debateModule(run, brief, found, { given, retryCount: MAX_REVISIONS });
}

/** A module that is shipped already; nothing is built. */
async function reused(run: TaskRun, { module_id, reuse_candidate_refs }: PlannedModule): Promise<ModuleOutcome> {
  const shipped = await run.ctx.step(TASK_STEPS.reuse.named(module_id), async () => {
    for (const ref of reuse_candidate_refs) {
      const found = await run.services.store.shippedModule(ref);
      if (found !== null) {
        const { ship_id, verification } = found.ship;
        return { module_id: found.module_id, version: found.version, ship_id, fingerprint: verification.interface_fingerprint };
      }
    }
    return null;
  });
  if (shipped !== null) return { status: "shipped", shipped };
  const reason = `none of ${reuse_candidate_refs.join(", ")} is shipped`;
  return {
    status: "failed",
    failure: { module_id, module_version: "0.0.0", ...NOTHING, reason, failed_invariants: [{ invariant: "reuse", evidence: reason }] },
  };
}

const NOTHING = { rounds: [], deliverable: null, fingerprint: null, execution_log: null, unapplied: [] };

function nothingMade({ contract }: LockedContract, reason: string): ModuleFailure {
  const { module_id, module_version } = contract;
  return { module_id, module_version, ...NOTHING, reason, failed_invariants: [{ invariant: "dependencies", evidence: reason }] };
}

/** The step records exact versions; their contents are read when needed. */
async function briefFor(
  run: TaskRun,
  module: PlannedModule,
  { contract, fingerprint, ref }: LockedContract,
): Promise<ModuleBrief | string> {
  const { store } = run.services;
  const found = await run.ctx.step(`${module.module_id}/dependencies`, () => findDependencies(store, contract));
  if (!found.ok) return found.problem;
  return {
    module,
    contract,
    fingerprint,
    contractRef: ref,
    dependencies: await loadModules(store, found.direct),
    closure: await loadModules(store, found.all),
  };
}
