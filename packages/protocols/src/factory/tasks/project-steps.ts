import type { ProjectOrigin } from "../projects/projects.ts";
import { isShipped, unlessAttested } from "../escalation/attest.ts";
import { engineering, type Resumption } from "../engineering/engineering.ts";
import { decideChange, type OpenException } from "../late-change/decide-change.ts";
import { decide, openEscalation } from "../escalation/decide.ts";
import type { EngineeringTask } from "../engineering/ports.ts";
import { exceptionDetails, keepEscalation } from "../escalation/escalate.ts";
import { newEscalationId, type Escalation } from "../escalation/schema.ts";
import { exceptionKind } from "../exceptions/schema.ts";
import { brokenOff, haltedTask, resumptionFor, type HaltedTask } from "./halted-task.ts";
import { carriedFrom } from "../incremental/earlier.ts";
import { recheckTask } from "../incremental/recheck.ts";
import { retireSuperseded, supersededBy } from "../incremental/supersede.ts";
import { prepareTask } from "./prepare-task.ts";
import type { ProductSpec } from "../product/spec.ts";
import { initialiseProject } from "../project/initialise.ts";
import { changeFor, type LoopOutcome, type ProjectSteps } from "../project/loop.ts";
import type { LoopDecision } from "../project/status.ts";
import type { FactoryServices } from "../services.ts";
import type { ProjectRun } from "../project-run.ts";
import { PROJECT_STEPS, type DispatchStep } from "../steps.ts";
import { forget, NOTHING, remember, type Memory, type TaskMemory } from "../task-memory.ts";

export interface ProjectSource {
  readonly origin: ProjectOrigin;
  /** The project made from this page before it was edited. */
  readonly previous: string | undefined;
}

/** The steps of the project loop in a run. */
export function projectSteps(run: ProjectRun, spec: ProductSpec, from: ProjectSource): ProjectSteps<Memory> {
  return {
    init_state_machine: () => initialise(run, spec, from),
    dispatch: (turn) => dispatch(run, turn),
    engineering: (memory, task, turn) => engineer(run, memory, task, turn),
    update_state_machine: (memory, task, outcome, turn) => update(run, memory, task, outcome, turn),
    waitForPerson: (memory, decision, turn) => waitForPerson(run, memory, decision, turn),
  };
}

async function initialise(run: ProjectRun, spec: ProductSpec, { origin, previous }: ProjectSource): Promise<Memory> {
  const { ctx, services } = run;
  await run.keep(PROJECT_STEPS.initialise.named(), async (call) => {
    const stores = { ...services, projects: services.projectStore.projects };
    const carried = previous === undefined ? undefined : await carriedFrom(stores, previous, spec);
    const begun = { origin, ...(carried === undefined ? {} : { carried }) };
    const { total, large } = (await initialiseProject(services.projectStore, call, ctx.runId, spec, begun)).view();
    return { tasks: total, large };
  });
  return NOTHING;
}

function dispatch(run: ProjectRun, turn: number): Promise<LoopDecision> {
  return run.keep<DispatchStep>(PROJECT_STEPS.dispatch.named(turn), async (call) => {
    const project = await run.project();
    const decision = project.decision();
    if (decision.kind === "start") await project.apply(call, { kind: "dispatch", task: decision.task });
    if (decision.kind !== "start" && decision.kind !== "continue") {
      // The run pauses or ends here, so the file must be current.
      await project.flush();
      return decision;
    }
    // Shown by the narration.
    const { pillar, epic, story } = project.task(decision.task);
    return { ...decision, place: [pillar, epic, story] };
  });
}

async function engineer(
  run: ProjectRun,
  memory: Memory,
  task: string,
  turn: number,
): Promise<{ readonly outcome: LoopOutcome; readonly state: Memory }> {
  const before = memory.get(task);
  const takes = (before?.takes ?? 0) + 1;
  const sheet = await run.keep(`prepare:${turn}`, async () => prepareTask(run.services, await run.project(), task));
  const prepared: EngineeringTask = takes === 1 ? sheet : { ...sheet, take: String(takes) };
  const ended = await workOn(run, prepared, before?.resumption ?? null, turn);
  const halted = "draft" in ended ? ended : null;
  const state = remember(memory, task, { takes, prepared, halted, resumption: null });
  if (!("draft" in ended)) return { outcome: { result: "SHIPPED", module_refs: [...ended] }, state };
  const escalation_ref = await run.keep(`halted:${turn}`, async () => newEscalationId());
  return { outcome: { result: "HALTED", reason: ended.draft.minimal_decision_required, escalation_ref }, state };
}

/** Works on one task in a child run, which returns the shipped modules or the reason of the halt. */
async function workOn(
  run: ProjectRun,
  prepared: EngineeringTask,
  resumption: Resumption | null,
  turn: number,
): Promise<HaltedTask | readonly string[]> {
  const { ctx, services } = run;
  let task = prepared;
  try {
    if (task.before?.mayStay === true && resumption === null) {
      const { before, task_id } = task;
      const looked = await ctx.step(PROJECT_STEPS.recheck.named(turn), async (signal) =>
        recheckTask({ ...services, sandbox: services.kernel.sandbox }, await run.project(), task_id, before.module_refs, signal),
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

async function update(run: ProjectRun, memory: Memory, task: string, outcome: LoopOutcome, turn: number): Promise<Memory> {
  const { services } = run;
  const known = memory.get(task);
  const at = await run.moment(`ended:${turn}`);
  await run.keep(`update_state_machine:${turn}`, async (call) => {
    await (await run.project()).apply(call, changeFor(task, outcome, at));
    return null;
  });
  if (outcome.result === "SHIPPED") {
    const superseded = supersededBy(known?.prepared.before?.module_refs ?? [], outcome.module_refs);
    if (superseded.length > 0) {
      await run.keep(`supersede:${turn}`, async (call) => {
        await retireSuperseded(services.codeIndex, call, superseded);
        return superseded;
      });
    }
    return forget(memory, task);
  }
  const halted = known?.halted ?? null;
  if (halted !== null) {
    await run.keep(`escalate:${turn}`, async (call) => {
      const machine = (await run.project()).machine();
      const details = { ...halted.details, ...(await exceptionIn(services, halted)) };
      const escalation = { escalation_id: outcome.escalation_ref, draft: halted.draft, details, machine, at };
      await keepEscalation(services.documents, call, escalation);
      return null;
    });
  }
  return memory;
}

async function waitForPerson(
  run: ProjectRun,
  memory: Memory,
  decision: Extract<LoopDecision, { kind: "halted" | "blocked" }>,
  turn: number,
): Promise<Memory> {
  const first = decision.kind === "halted" ? decision.tasks[0] : undefined;
  if (first !== undefined && (await isShipped(run, `attested:${turn}`, first))) return forget(memory, first);
  const escalation = await openEscalation(run, turn, first);
  const known = memory.get(escalation.task_id);
  const resumption = await unlessAttested(() => decideOn(run, known, escalation, turn));
  return known === undefined ? memory : remember(memory, escalation.task_id, { ...known, halted: null, resumption });
}

/** How the task resumes; null if it starts over or is finished. */
async function decideOn(run: ProjectRun, known: TaskMemory | undefined, escalation: Escalation, turn: number): Promise<Resumption | null> {
  const halted = known?.halted ?? null;
  let deferred: OpenException | null = null;
  if (known !== undefined && typeof halted?.exception_id === "string") {
    const open = { turn, escalation, exception_id: halted.exception_id, task: known.prepared };
    const outcome = await decideChange(run, open);
    if (outcome === "moving") return null;
    if (outcome === "open") deferred = open;
  }
  const resolved = await decide(run, turn, { escalation, halted, deferred });
  return halted === null || resolved === null ? null : resumptionFor(resolved.resume, halted);
}

/** The details of the interface change exception that halted the task. */
async function exceptionIn({ documents }: FactoryServices, { exception_id }: HaltedTask): Promise<Record<string, unknown>> {
  return exception_id === null ? {} : exceptionDetails(await documents.get(exceptionKind, exception_id));
}
