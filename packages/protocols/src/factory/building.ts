import type { ProjectOrigin } from "./projects/projects.ts";
import { isShipped, unlessAttested } from "./attesting.ts";
import { engineering, type Resumption } from "./engineering/engineering.ts";
import { decideChange, type OpenException } from "./change-decision.ts";
import { decide, openEscalation } from "./deciding.ts";
import type { EngineeringTask } from "./engineering/ports.ts";
import { exceptionDetails, keepEscalation } from "./escalation/escalate.ts";
import { newEscalationId, type Escalation } from "./escalation/schema.ts";
import { exceptionKind } from "./exceptions/schema.ts";
import { brokenOff, haltedTask, resumptionFor, type HaltedTask } from "./halted.ts";
import { carriedFrom } from "./incremental/earlier.ts";
import { recheckTask } from "./incremental/rechecking.ts";
import { retireSuperseded, supersededBy } from "./incremental/superseding.ts";
import { prepareTask } from "./preparing.ts";
import type { ProductSpec } from "./product/spec.ts";
import { initialiseProject } from "./project/initialise.ts";
import { changeFor, type Outcome, type ProjectSteps } from "./project/loop.ts";
import type { Decision } from "./project/status.ts";
import type { FactoryShop } from "./shop.ts";
import type { FactorySite } from "./site.ts";
import { forget, NOTHING, remember, type Memory, type TaskMemory } from "./task-memory.ts";

export interface ProjectSource {
  readonly origin: ProjectOrigin;
  /** The project that was made from this page before it was edited. */
  readonly previous: string | undefined;
}

/** The steps of the project loop as a run carries them out. */
export function projectSteps(site: FactorySite, spec: ProductSpec, from: ProjectSource): ProjectSteps<Memory> {
  return {
    init_state_machine: () => initialise(site, spec, from),
    dispatch: (turn) => dispatch(site, turn),
    engineering: (memory, task, turn) => engineer(site, memory, task, turn),
    update_state_machine: (memory, task, outcome, turn) => update(site, memory, task, outcome, turn),
    waitForPerson: (memory, decision, turn) => waitForPerson(site, memory, decision, turn),
  };
}

async function initialise(site: FactorySite, spec: ProductSpec, { origin, previous }: ProjectSource): Promise<Memory> {
  const { ctx, shop } = site;
  await site.keep("init_state_machine", async (call) => {
    const rooms = { ...shop, projects: shop.room.projects };
    const carried = previous === undefined ? undefined : await carriedFrom(rooms, previous, spec);
    const begun = { origin, ...(carried === undefined ? {} : { carried }) };
    const { total, large } = (await initialiseProject(shop.room, call, ctx.runId, spec, begun)).view();
    return { tasks: total, large };
  });
  return NOTHING;
}

function dispatch(site: FactorySite, turn: number): Promise<Decision> {
  return site.keep(`dispatch:${turn}`, async (call) => {
    const project = await site.project();
    const decision = project.decision();
    if (decision.kind === "start") await project.apply(call, { kind: "dispatch", task: decision.task });
    if (decision.kind !== "start" && decision.kind !== "continue") {
      // Nothing comes after it for a while: whoever looks at the file sees how things stand.
      await project.flush();
      return decision;
    }
    // For whoever follows the run: where the task stands.
    const { pillar, epic, story } = project.task(decision.task);
    return { ...decision, place: [pillar, epic, story] };
  });
}

async function engineer(
  site: FactorySite,
  memory: Memory,
  task: string,
  turn: number,
): Promise<{ readonly outcome: Outcome; readonly state: Memory }> {
  const before = memory.get(task);
  const takes = (before?.takes ?? 0) + 1;
  const sheet = await site.keep(`prepare:${turn}`, async () => prepareTask(site.shop, await site.project(), task));
  const prepared: EngineeringTask = takes === 1 ? sheet : { ...sheet, take: String(takes) };
  const ended = await workOn(site, prepared, before?.resumption ?? null, turn);
  const halted = "draft" in ended ? ended : null;
  const state = remember(memory, task, { takes, prepared, halted, resumption: null });
  if (!("draft" in ended)) return { outcome: { result: "SHIPPED", module_refs: [...ended] }, state };
  const escalation_ref = await site.keep(`halted:${turn}`, async () => newEscalationId());
  return { outcome: { result: "HALTED", reason: ended.draft.minimal_decision_required, escalation_ref }, state };
}

/** One task at work is a run of its own: only what it returns comes back, the modules it has shipped or why it halted. */
async function workOn(
  site: FactorySite,
  prepared: EngineeringTask,
  resumption: Resumption | null,
  turn: number,
): Promise<HaltedTask | readonly string[]> {
  const { ctx, shop } = site;
  let task = prepared;
  try {
    if (task.before?.mayStay === true && resumption === null) {
      const { before, task_id } = task;
      const looked = await ctx.step(`recheck:${turn}`, async (signal) =>
        recheckTask({ ...shop, sandbox: shop.kernel.sandbox }, await site.project(), task_id, before.module_refs, signal),
      );
      if (looked.kept) return looked.module_refs;
      task = { ...task, before: { ...before, because: [looked.because] } };
    }
    const result = await ctx.child(`task:${turn}`, engineering, { task, ...(resumption === null ? {} : { resumption }) });
    return result.status === "SHIPPED" ? result.modules : haltedTask(result);
  } catch (error) {
    return brokenOff(task, error);
  }
}

async function update(site: FactorySite, memory: Memory, task: string, outcome: Outcome, turn: number): Promise<Memory> {
  const { shop } = site;
  const known = memory.get(task);
  const at = await site.moment(`ended:${turn}`);
  await site.keep(`update_state_machine:${turn}`, async (call) => {
    await (await site.project()).apply(call, changeFor(task, outcome, at));
    return null;
  });
  if (outcome.result === "SHIPPED") {
    const superseded = supersededBy(known?.prepared.before?.module_refs ?? [], outcome.module_refs);
    if (superseded.length > 0) {
      await site.keep(`supersede:${turn}`, async (call) => {
        await retireSuperseded(shop.codeIndex, call, superseded);
        return superseded;
      });
    }
    return forget(memory, task);
  }
  const halted = known?.halted ?? null;
  if (halted !== null) {
    await site.keep(`escalate:${turn}`, async (call) => {
      const machine = (await site.project()).machine();
      const details = { ...halted.details, ...(await exceptionIn(shop, halted)) };
      const escalation = { escalation_id: outcome.escalation_ref, draft: halted.draft, details, machine, at };
      await keepEscalation(shop.documents, call, escalation);
      return null;
    });
  }
  return memory;
}

async function waitForPerson(
  site: FactorySite,
  memory: Memory,
  decision: Extract<Decision, { kind: "halted" | "blocked" }>,
  turn: number,
): Promise<Memory> {
  const first = decision.kind === "halted" ? decision.tasks[0] : undefined;
  if (first !== undefined && (await isShipped(site, `attested:${turn}`, first))) return forget(memory, first);
  const escalation = await openEscalation(site, turn, first);
  const known = memory.get(escalation.task_id);
  const resumption = await unlessAttested(() => decideOn(site, known, escalation, turn));
  return known === undefined ? memory : remember(memory, escalation.task_id, { ...known, halted: null, resumption });
}

/** How the task is taken up again; null where it begins anew, or nothing is left of it. */
async function decideOn(
  site: FactorySite,
  known: TaskMemory | undefined,
  escalation: Escalation,
  turn: number,
): Promise<Resumption | null> {
  const halted = known?.halted ?? null;
  let deferred: OpenException | null = null;
  if (known !== undefined && typeof halted?.exception_id === "string") {
    const open = { turn, escalation, exception_id: halted.exception_id, task: known.prepared };
    const outcome = await decideChange(site, open);
    if (outcome === "moving") return null;
    if (outcome === "open") deferred = open;
  }
  const resolved = await decide(site, turn, { escalation, halted, deferred });
  return halted === null || resolved === null ? null : resumptionFor(resolved.resume, halted);
}

/** Of an interface change that halted the task, everything that is needed to decide. */
async function exceptionIn({ documents }: FactoryShop, { exception_id }: HaltedTask): Promise<Record<string, unknown>> {
  return exception_id === null ? {} : exceptionDetails(await documents.get(exceptionKind, exception_id));
}
