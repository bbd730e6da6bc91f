import type { Question } from "@slipway/durable/ctx";
import { z } from "zod";
import { askAboutHalt } from "./attest.ts";
import { carryOutDecision, changeOptions, type OpenException } from "../late-change/decide-change.ts";
import { planFacts } from "../engineering/plan-facts.ts";
import type { MicroPlanFacts } from "../engineering/plan-rules.ts";
import { escalationQuestion, keepEscalation, recordAnswer, recordOf } from "./escalate.ts";
import { humanResolution, type HumanResolution } from "./answers.ts";
import { resolve, type Resolved, type ResolutionFacts, type StateChanges } from "./resolve.ts";
import { escalationKind, newEscalationId, type Escalation } from "./schema.ts";
import { exceptionDecision, type ExceptionDecision } from "../exceptions/decisions.ts";
import { stuckTask, type HaltedTask } from "../tasks/halted-task.ts";
import { dependenciesOf, dependencyContract } from "../tasks/prepare-task.ts";
import type { Project } from "../project/project.ts";
import type { FactoryServices } from "../services.ts";
import type { ProjectRun } from "../project-run.ts";

export interface ToDecide {
  readonly escalation: Escalation;
  readonly halted: HaltedTask | null;
  /** A deferred exception, which can still be decided instead. */
  readonly deferred: OpenException | null;
}

/** Asks until an answer can be applied, and applies it. An invalid answer changes nothing; the next question states its problems. */
export async function decide(run: ProjectRun, turn: number, { escalation, halted, deferred }: ToDecide): Promise<StateChanges | null> {
  const { ctx, services } = run;
  let open = deferred;
  let problems: readonly string[] = [];
  for (let round = 1; ; round++) {
    const name = `decide:${turn}.${round}`;
    const question = open === null ? escalationQuestion(escalation, problems) : eitherQuestion(open, problems);
    const answer = await askAboutHalt<HumanResolution | ExceptionDecision>(run, escalation, name, question);
    if ("decision" in answer) {
      const outcome = open === null ? "closed" : await carryOutDecision(run, open, { name, key: `${turn}.d${round}`, answer });
      if (outcome === "moving") return null;
      if (outcome === "closed") open = null;
      problems = [];
      continue;
    }
    const at = await run.moment(`decided:${turn}.${round}`);
    const resolved: Resolved = await run.keep(`resolve:${turn}.${round}`, async () => {
      const project = await run.project();
      return resolve(answer, await factsFor(services, project, escalation.task_id, halted, answer, at));
    });
    if (resolved.ok) {
      await carryOut(run, `${turn}.${round}`, resolved);
      await run.keep(`answer:${turn}.${round}`, async (call) => {
        const { answeredBy } = await services.kernel.records.inbox.find(`${ctx.runId}#${name}`);
        const record = recordOf(resolved.resolution, answeredBy ?? "person", at);
        await recordAnswer(services.documents, call, escalation.escalation_id, record);
        return null;
      });
      return resolved;
    }
    ({ problems } = resolved);
  }
}

/** The six resolutions, and the three decisions for a deferred exception. */
function eitherQuestion(
  { escalation, exception_id }: OpenException,
  problems: readonly string[],
): Question<HumanResolution | ExceptionDecision> {
  const question = escalationQuestion(escalation, problems);
  return {
    ...question,
    body: `${question.body}\n\n${exception_id} is deferred; you can decide it here too.`,
    options: [...(question.options ?? []), ...changeOptions(exception_id)],
    schema: z.union([...humanResolution.options, ...exceptionDecision.options]),
    context: { ...question.context, exception_id },
  };
}

async function carryOut(run: ProjectRun, name: string, { changes, sheets }: StateChanges): Promise<void> {
  await run.keep(`apply:${name}`, async (call) => {
    const project = await run.project();
    for (const [index, change] of changes.entries()) {
      const isLast = index === changes.length - 1;
      await project.apply({ ...call, operationId: `${call.operationId}/${index + 1}` }, change, isLast ? sheets : {});
    }
    for (const id of Object.keys(sheets)) {
      await project.taskFile(id, (await dependenciesOf(run.services, project, id)).map(dependencyContract));
    }
    return null;
  });
}

async function factsFor(
  services: FactoryServices,
  project: Project,
  task_id: string,
  halted: HaltedTask | null,
  answer: unknown,
  at: string,
): Promise<ResolutionFacts> {
  const { tasks } = project.machine();
  const siblings = Object.keys(tasks).filter((id) => tasks[id]?.story === tasks[task_id]?.story);
  const sheets = new Map(await Promise.all(siblings.map(async (id) => [id, await project.sheet(id)] as const)));
  const failed = (halted?.failed ?? []).map(({ module_id, module_version, deliverable }) => ({
    module_id,
    module_version,
    files: deliverable?.files ?? null,
  }));
  return {
    task_id,
    tasks,
    sheet: await project.sheet(task_id),
    sheetOf: (id) => sheets.get(id),
    planFacts: await planFactsFor(services, project, task_id, answer),
    failed,
    at,
  };
}

/** A person's plan is checked against the same facts as a planner's. */
async function planFactsFor(services: FactoryServices, project: Project, task: string, answer: unknown): Promise<MicroPlanFacts> {
  const plan = (answer as { readonly revised_micro_plan?: unknown }).revised_micro_plan;
  const dependencies = (await dependenciesOf(services, project, task)).map(({ module_id, version }) => `${module_id}@${version}`);
  return planFacts(services, plan, { dependencies });
}

/** The first halted task, or else the first that depends on an abandoned one; with its recorded escalation. */
export async function openEscalation(run: ProjectRun, turn: number, halted: string | undefined): Promise<Escalation> {
  const { documents } = run.services;
  if (halted !== undefined) {
    return run.keep(`escalation:${turn}`, async () => {
      const { escalation_ref } = (await run.project()).task(halted);
      return documents.get(escalationKind, escalation_ref ?? "");
    });
  }
  const at = await run.moment(`stuck-at:${turn}`);
  const stuck = await run.keep(`stuck:${turn}`, async () => {
    const project = await run.project();
    const { task_id, abandoned } = firstStuck(project);
    return { escalation_id: newEscalationId(), draft: stuckTask(await project.sheet(task_id), abandoned) };
  });
  return run.keep(`escalate:${turn}`, async (call) => {
    const machine = (await run.project()).machine();
    return keepEscalation(documents, call, { ...stuck, machine, at });
  });
}

/** The first blocked task, in the order of the spec, that depends directly on an abandoned one. */
function firstStuck(project: Project): { readonly task_id: string; readonly abandoned: string[] } {
  const { tasks } = project.machine();
  const inOrder = Object.entries(tasks).toSorted(([, left], [, right]) => left.declaration_order - right.declaration_order);
  const stuck = inOrder.map(([task_id, { status, depends_on }]) => ({
    task_id,
    abandoned: status === "BLOCKED" ? depends_on.filter((id) => tasks[id]?.status === "ABANDONED") : [],
  }));
  return stuck.find(({ abandoned }) => abandoned.length > 0) ?? { task_id: "", abandoned: [] };
}
