import { digestOf } from "@slipway/durable/canonical";
import type { Contract } from "@slipway/languages/contracts/schema";
import { FIRST_VERSION, nextVersion } from "@slipway/languages/contracts/version";
import { fingerprintOf } from "@slipway/languages/contracts/fingerprint";
import { plannerContext } from "./context.ts";
import { planInvalid, type Halt } from "./halt.ts";
import { askIndex } from "./indexed.ts";
import { planDraftSchema, type MicroPlan, type PlanDraft } from "./micro-plan.ts";
import { planFacts } from "./plan-facts.ts";
import { checkPlan, type CheckedPlan } from "./plan-rules.ts";
import type { ShippedModule } from "./ports.ts";
import { contribute, json, keepMade, play, type Played } from "./record.ts";
import { shownAs } from "./shown-as.ts";
import type { EngineeringSite } from "./site.ts";

/** One plan and two more when it is not valid. */
export const PLAN_ATTEMPTS = 3;

const planAnswer = shownAs(planDraftSchema);

export const PLANNER_INSTRUCTIONS = "Return the modules of this task with their contracts.";

/** A plan that nobody can change any more, with the contract of each module that is to be made. */
export interface LockedPlan {
  readonly plan: MicroPlan;
  readonly contracts: readonly LockedContract[];
}

export interface LockedContract {
  readonly contract: Contract;
  readonly fingerprint: string;
  /** `CTR-…@x.y.z` */
  readonly ref: string;
}

export type Planned = { readonly ok: true; readonly locked: LockedPlan } | { readonly ok: false; readonly halt: Halt };

/** The plan of a task: a person's, if there is one, otherwise a planner's; valid either way before it is locked. */
export async function planTask(site: EngineeringSite, given: unknown): Promise<Planned> {
  if (given !== undefined) return fromPerson(site, given);
  const { task, shop } = site;
  const dependencies = await shippedModules(site, task.dependencies);
  const earlier = await shippedModules(site, task.before?.module_refs ?? []);
  const found = await askIndex(site, "search:plan", () => shop.index.search(task.task_file));
  let last: { plan: unknown; problems: string[] } | null = null;
  for (let attempt = 1; attempt <= PLAN_ATTEMPTS; attempt++) {
    const step = `plan:${attempt}`;
    const played: Played<unknown> = await play(site, {
      step,
      role: "planner",
      subject: task.task_id,
      attempt: String(attempt),
      context: plannerContext({ task, dependencies, earlier, found, schemas: shop.schemas, last }),
      instructions: PLANNER_INSTRUCTIONS,
      schema: planAnswer,
    });
    const plan = played.reply.ok ? played.reply.value : null;
    const checked = await check(site, step, plan, played.reply.ok ? null : played.reply.failure.message);
    if (checked.ok) return { ok: true, locked: await lock(site, checked, played) };
    await contribute(site, step, played.by, played.contextPack, "MICRO_PLAN", `refused:${digestOf(plan)}`);
    last = { plan, problems: checked.problems.map(({ field, message }) => `${field}: ${message}`) };
  }
  return { ok: false, halt: planInvalid(task, last?.plan ?? null, last?.problems ?? []) };
}

async function fromPerson(site: EngineeringSite, given: unknown): Promise<Planned> {
  const checked = await check(site, "plan:given", given, null);
  if (!checked.ok) {
    return {
      ok: false,
      halt: planInvalid(
        site.task,
        given,
        checked.problems.map(({ field, message }) => `${field}: ${message}`),
      ),
    };
  }
  const by = { role: "planner", run_id: site.call("plan:given").operationId } as const;
  const created_for = { ...by, task_ref: site.task.task_ref };
  const { context_pack_id } = await site.keep("pack:plan:given", (call) =>
    site.shop.store.keepContextPack(call, { created_for, included_refs: [], excluded_refs: [] }),
  );
  return { ok: true, locked: await lock(site, checked, { by, contextPack: context_pack_id }) };
}

/** Recorded: what exists in the store and in the index is part of the judgement. */
function check(site: EngineeringSite, step: string, plan: unknown, failure: string | null): Promise<CheckedPlan> {
  return askIndex(site, `check:${step}`, async () => {
    if (failure !== null) return { ok: false, problems: [{ field: "/", message: failure }] };
    return checkPlan(plan, await planFacts(site.shop, plan, site.task));
  });
}

/** Plan and contracts become records. From here on both are read and never written. */
async function lock(
  site: EngineeringSite,
  { draft, alike }: Extract<CheckedPlan, { ok: true }>,
  played: Pick<Played<unknown>, "by" | "contextPack">,
): Promise<LockedPlan> {
  const { store } = site.shop;
  const made = await keepMade(site, "plan:kept", played, {
    type: "MICRO_PLAN",
    contribution: "MICRO_PLAN",
    body: { "micro_plan.json": json(draft) },
  });
  const plan: MicroPlan = { micro_plan_id: made.id, parent_task_ref: site.task.task_ref, modules: draft.modules };
  for (const report of draft.reuse_reports) {
    const { module_id } = report;
    const kept = { ...report, task_id: site.task.task_id, near_duplicates: [...(alike[module_id] ?? [])] };
    await site.keep(`reuse:${module_id}`, (call) => store.keepReuseReport(call, kept));
  }
  const contracts: LockedContract[] = [];
  for (const drafted of draft.contracts) {
    const contract: Contract = { ...drafted, module_version: await versionFor(site, drafted) };
    const body = { "contract.json": json(contract) };
    const kept = await keepMade(site, `contract:${contract.module_id}`, played, {
      type: "CONTRACT",
      contribution: null,
      body,
      inputs: [{ ref: made.ref, purpose: "the plan it is part of" }],
    });
    contracts.push({ contract, fingerprint: fingerprintOf(contract), ref: kept.ref });
  }
  await site.keep("plan:locked", async (call) => {
    await store.lockPlan(call, {
      plan,
      contracts: contracts.map(({ contract }) => contract),
      contract_refs: contracts.map(({ ref }) => ref),
    });
    return null;
  });
  return { plan, contracts };
}

/** What the module will ship as; whether that holds is looked at again when it ships. */
function versionFor(site: EngineeringSite, contract: PlanDraft["contracts"][number]): Promise<string> {
  return site.ctx.step(`version:${contract.module_id}`, async () => {
    const previous = await site.shop.store.latestVersion(contract.module_id);
    if (previous === null) return FIRST_VERSION;
    return nextVersion(previous, fingerprintOf(contract), site.task.successors?.[contract.module_id] ?? null);
  });
}

/** A shipped version never changes, so there is nothing to remember. */
async function shippedModules({ shop }: EngineeringSite, refs: readonly string[]): Promise<ShippedModule[]> {
  const found = await Promise.all(refs.map((ref) => shop.store.shippedModule(ref)));
  return found.filter((module) => module !== null);
}
