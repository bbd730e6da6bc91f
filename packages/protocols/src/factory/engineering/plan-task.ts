import { digestOf } from "@slipway/durable/canonical";
import type { Contract } from "@slipway/languages/contracts/schema";
import { FIRST_VERSION, nextVersion } from "@slipway/languages/contracts/version";
import { fingerprintOf } from "@slipway/languages/contracts/fingerprint";
import { plannerContext } from "./context.ts";
import { planInvalid, type Halt } from "./halt.ts";
import { indexStep } from "./index-step.ts";
import { planDraftSchema, type MicroPlan, type PlanDraft } from "./micro-plan.ts";
import { planFacts } from "./plan-facts.ts";
import { checkPlan, type CheckedPlan } from "./plan-rules.ts";
import type { ShippedModule } from "./ports.ts";
import { contribute, json, recordArtifact, play, type Played } from "./record.ts";
import { shownAs } from "./advisory-schema.ts";
import { TASK_STEPS } from "../steps.ts";
import type { TaskRun } from "./task-run.ts";

/** One plan and two corrections. */
export const PLAN_ATTEMPTS = 3;

const planAnswer = shownAs(planDraftSchema);

export const PLANNER_INSTRUCTIONS = "Return the modules of this task with their contracts.";

/** A plan that can no longer change, with the contract of each module it creates. */
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

export type TaskPlan = { readonly ok: true; readonly locked: LockedPlan } | { readonly ok: false; readonly halt: Halt };

/** The plan of a task, from a person or from a planner. It is locked only if it is valid. */
export async function planTask(run: TaskRun, given: unknown): Promise<TaskPlan> {
  if (given !== undefined) return fromPerson(run, given);
  const { task, services } = run;
  const dependencies = await shippedModules(run, task.dependencies);
  const earlier = await shippedModules(run, task.before?.module_refs ?? []);
  const found = await indexStep(run, "search:plan", () => services.index.search(task.task_file));
  let last: { plan: unknown; problems: string[] } | null = null;
  for (let attempt = 1; attempt <= PLAN_ATTEMPTS; attempt++) {
    const step = `plan:${attempt}`;
    const played: Played<unknown> = await play(run, {
      step,
      role: "planner",
      subject: task.task_id,
      attempt: String(attempt),
      context: plannerContext({ task, dependencies, earlier, found, schemas: services.schemas, last }),
      instructions: PLANNER_INSTRUCTIONS,
      schema: planAnswer,
    });
    const plan = played.reply.ok ? played.reply.value : null;
    const checked = await check(run, String(attempt), plan, played.reply.ok ? null : played.reply.failure.message);
    if (checked.ok) return { ok: true, locked: await lock(run, checked, played) };
    await contribute(run, step, played.by, played.contextPack, "MICRO_PLAN", `refused:${digestOf(plan)}`);
    last = { plan, problems: checked.problems.map(({ field, message }) => `${field}: ${message}`) };
  }
  return { ok: false, halt: planInvalid(task, last?.plan ?? null, last?.problems ?? []) };
}

async function fromPerson(run: TaskRun, given: unknown): Promise<TaskPlan> {
  const checked = await check(run, "given", given, null);
  if (!checked.ok) {
    return {
      ok: false,
      halt: planInvalid(
        run.task,
        given,
        checked.problems.map(({ field, message }) => `${field}: ${message}`),
      ),
    };
  }
  const by = { role: "planner", run_id: run.call("plan:given").operationId } as const;
  const created_for = { ...by, task_ref: run.task.task_ref };
  const { context_pack_id } = await run.keep("pack:plan:given", (call) =>
    run.services.store.keepContextPack(call, { created_for, included_refs: [], excluded_refs: [] }),
  );
  return { ok: true, locked: await lock(run, checked, { by, contextPack: context_pack_id }) };
}

/** A recorded step: the state of store and index is part of the judgement. */
function check(run: TaskRun, attempt: string, plan: unknown, failure: string | null): Promise<CheckedPlan> {
  return indexStep(run, TASK_STEPS.planChecked.named(attempt), async () => {
    if (failure !== null) return { ok: false, problems: [{ field: "/", message: failure }] };
    return checkPlan(plan, await planFacts(run.services, plan, run.task));
  });
}

/** Records plan and contracts; both are read-only from here on. */
async function lock(
  run: TaskRun,
  { draft, alike }: Extract<CheckedPlan, { ok: true }>,
  played: Pick<Played<unknown>, "by" | "contextPack">,
): Promise<LockedPlan> {
  const { store } = run.services;
  const made = await recordArtifact(run, "plan:kept", played, {
    type: "MICRO_PLAN",
    contribution: "MICRO_PLAN",
    body: { "micro_plan.json": json(draft) },
  });
  const plan: MicroPlan = { micro_plan_id: made.id, parent_task_ref: run.task.task_ref, modules: draft.modules };
  for (const report of draft.reuse_reports) {
    const { module_id } = report;
    const recorded = { ...report, task_id: run.task.task_id, near_duplicates: [...(alike[module_id] ?? [])] };
    await run.keep(`reuse:${module_id}`, (call) => store.keepReuseReport(call, recorded));
  }
  const contracts: LockedContract[] = [];
  for (const drafted of draft.contracts) {
    const contract: Contract = { ...drafted, module_version: await versionFor(run, drafted) };
    const body = { "contract.json": json(contract) };
    const saved = await recordArtifact(run, `contract:${contract.module_id}`, played, {
      type: "CONTRACT",
      contribution: null,
      body,
      inputs: [{ ref: made.ref, purpose: "the plan it is part of" }],
    });
    contracts.push({ contract, fingerprint: fingerprintOf(contract), ref: saved.ref });
  }
  await run.keep("plan:locked", async (call) => {
    await store.lockPlan(call, {
      plan,
      contracts: contracts.map(({ contract }) => contract),
      contract_refs: contracts.map(({ ref }) => ref),
    });
    return null;
  });
  return { plan, contracts };
}

/** The version the module will ship as; the ship step checks it again. */
function versionFor(run: TaskRun, contract: PlanDraft["contracts"][number]): Promise<string> {
  return run.ctx.step(`version:${contract.module_id}`, async () => {
    const previous = await run.services.store.latestVersion(contract.module_id);
    if (previous === null) return FIRST_VERSION;
    return nextVersion(previous, fingerprintOf(contract), run.task.successors?.[contract.module_id] ?? null);
  });
}

/** Not a step: a shipped version never changes. */
async function shippedModules({ services }: TaskRun, refs: readonly string[]): Promise<ShippedModule[]> {
  const found = await Promise.all(refs.map((ref) => services.store.shippedModule(ref)));
  return found.filter((module) => module !== null);
}
