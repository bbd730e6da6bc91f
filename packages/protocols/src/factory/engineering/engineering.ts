import { workflow } from "@slipway/durable/ctx";
import { RELAXED } from "../durability.ts";
import { findDependencies, loadModules, type ModuleBrief } from "./brief.ts";
import { debateModule, type ModuleOutcome } from "./debate/debate.ts";
import { MAX_REVISIONS } from "./debate/rules.ts";
import { interfaceChangeHalt, moduleFailed, planDefect, type Halt, type LastDeliverable, type ModuleFailure } from "./halt.ts";
import { askIndex } from "./indexed.ts";
import type { PlannedModule } from "./micro-plan.ts";
import { dependentsOf, idOf, inDependencyOrder } from "./order.ts";
import { fixOf, proposeFor, shipOverride } from "./person.ts";
import { planTask, type LockedContract, type LockedPlan } from "./planning.ts";
import type { EngineeringShop, EngineeringTask } from "./ports.ts";
import { engineeringSite, type EngineeringSite } from "./site.ts";

/** Raise it whenever a step of the engineering loop is renamed, added, removed or reordered. */
export const ENGINEERING_VERSION = "5";

/** How a task is taken up again after a person has decided about it. */
export type Resumption =
  /** A plan instead of the planner's; everything else from the beginning. */
  | { readonly kind: "plan"; readonly plan: unknown }
  | (Continued & { readonly kind: "override"; readonly rationale: string })
  | (Continued & { readonly kind: "fix"; readonly description: string; readonly files: Readonly<Record<string, string>> });

interface Continued {
  readonly locked: LockedPlan;
  /** What had shipped before, as `MM-…@x.y.z`. */
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

/** One task, from its file to shipped modules or to a halt that says what a person has to decide. */
export const engineering = workflow<EngineeringInput, EngineeringResult, EngineeringShop>(
  "factory-task",
  ENGINEERING_VERSION,
  (ctx, input, shop) => engineerTask(engineeringSite(ctx, shop, input.task), input.resumption),
  RELAXED,
);

export async function engineerTask(site: EngineeringSite, resumption?: Resumption): Promise<EngineeringResult> {
  const { task_id } = site.task;
  const continued = resumption?.kind === "override" || resumption?.kind === "fix" ? resumption : null;
  const planned =
    continued === null
      ? await planTask(site, resumption?.kind === "plan" ? resumption.plan : undefined)
      : { ok: true as const, locked: continued.locked };
  if (!planned.ok) return { task_id, modules: [], status: "HALTED", halt: planned.halt, locked: null };
  return buildModules(site, planned.locked, continued);
}

/** Every module whose dependencies are shipped is attempted; what depends on one that failed is not. */
async function buildModules(
  site: EngineeringSite,
  locked: LockedPlan,
  continued: Exclude<Resumption, { kind: "plan" }> | null,
): Promise<EngineeringResult> {
  const { task } = site;
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
    const outcome = await buildModule(site, locked, module, continued);
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
  site: EngineeringSite,
  locked: LockedPlan,
  module: PlannedModule,
  continued: Exclude<Resumption, { kind: "plan" }> | null,
): Promise<ModuleOutcome> {
  const { module_id } = module;
  const contract = locked.contracts.find((one) => one.contract.module_id === module_id);
  if (contract === undefined) return reused(site, module);
  const brief = await briefFor(site, module, contract);
  if (typeof brief === "string") return { status: "failed", failure: nothingMade(contract, brief) };
  const mine = continued?.module_id === module_id ? continued : null;
  if (mine?.kind === "override" && mine.deliverable !== null) return shipOverride(site, brief, mine.deliverable, mine.rationale);
  const found = await askIndex(site, `${module_id}/search`, () => site.shop.index.search(module.purpose));
  if (mine?.kind !== "fix") return debateModule(site, brief, found, { given: null, retryCount: 0 });
  // Nobody revises what a person has provided: if it does not hold, the person hears of it.
  const given = await proposeFor(site, brief, fixOf(mine.deliverable, mine), mine.deliverable?.ref ?? null);
  return debateModule(site, brief, found, { given, retryCount: MAX_REVISIONS });
}

/** A module that is there already: the plan names it, and nothing is done. */
async function reused(site: EngineeringSite, { module_id, reuse_candidate_refs }: PlannedModule): Promise<ModuleOutcome> {
  const shipped = await site.ctx.step(`${module_id}/reuse`, async () => {
    for (const ref of reuse_candidate_refs) {
      const found = await site.shop.store.shippedModule(ref);
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

/** The exact versions are remembered; what is in them is read where it is needed. */
async function briefFor(
  site: EngineeringSite,
  module: PlannedModule,
  { contract, fingerprint, ref }: LockedContract,
): Promise<ModuleBrief | string> {
  const { store } = site.shop;
  const found = await site.ctx.step(`${module.module_id}/dependencies`, () => findDependencies(store, contract));
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
