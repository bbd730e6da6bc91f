import type { Question } from "@slipway/durable/ctx";
import { z } from "zod";
import { askAboutHalt } from "./attesting.ts";
import { carryOutDecision, changeOptions, type OpenException } from "./change-decision.ts";
import { planFacts } from "./engineering/plan-facts.ts";
import type { PlanFacts } from "./engineering/plan-rules.ts";
import { escalationQuestion, keepEscalation, recordAnswer, recordOf } from "./escalation/escalate.ts";
import { humanResolution, type HumanResolution } from "./escalation/answers.ts";
import { resolve, type Resolved, type ResolutionFacts, type StateChanges } from "./escalation/resolve.ts";
import { escalationKind, newEscalationId, type Escalation } from "./escalation/schema.ts";
import { exceptionDecision, type ExceptionDecision } from "./exceptions/decisions.ts";
import { stuckTask, type HaltedTask } from "./halted.ts";
import { dependenciesOf, dependencyContract } from "./preparing.ts";
import type { Project } from "./project/project.ts";
import type { FactoryShop } from "./shop.ts";
import type { FactorySite } from "./site.ts";

export interface ToDecide {
  readonly escalation: Escalation;
  readonly halted: HaltedTask | null;
  /** An exception that was put off: it can still be decided instead. */
  readonly deferred: OpenException | null;
}

/** Asks until an answer can be carried out, and carries it out. An answer that cannot changes nothing, and says why with the next question. */
export async function decide(site: FactorySite, turn: number, { escalation, halted, deferred }: ToDecide): Promise<StateChanges | null> {
  const { ctx, shop } = site;
  let open = deferred;
  let problems: readonly string[] = [];
  for (let round = 1; ; round++) {
    const name = `decide:${turn}.${round}`;
    const question = open === null ? escalationQuestion(escalation, problems) : eitherQuestion(open, problems);
    const answer = await askAboutHalt<HumanResolution | ExceptionDecision>(site, escalation, name, question);
    if ("decision" in answer) {
      const outcome = open === null ? "closed" : await carryOutDecision(site, open, { name, key: `${turn}.d${round}`, answer });
      if (outcome === "moving") return null;
      if (outcome === "closed") open = null;
      problems = [];
      continue;
    }
    const at = await site.moment(`decided:${turn}.${round}`);
    const resolved: Resolved = await site.keep(`resolve:${turn}.${round}`, async () => {
      const project = await site.project();
      return resolve(answer, await factsFor(shop, project, escalation.task_id, halted, answer, at));
    });
    if (resolved.ok) {
      await carryOut(site, `${turn}.${round}`, resolved);
      await site.keep(`answer:${turn}.${round}`, async (call) => {
        const { answeredBy } = await shop.kernel.records.inbox.find(`${ctx.runId}#${name}`);
        const record = recordOf(resolved.resolution, answeredBy ?? "person", at);
        await recordAnswer(shop.documents, call, escalation.escalation_id, record);
        return null;
      });
      return resolved;
    }
    ({ problems } = resolved);
  }
}

/** The six, and the three for the exception that was put off. */
function eitherQuestion(
  { escalation, exception_id }: OpenException,
  problems: readonly string[],
): Question<HumanResolution | ExceptionDecision> {
  const question = escalationQuestion(escalation, problems);
  return {
    ...question,
    body: `${question.body}\n\n${exception_id} was put off; it can be decided as well.`,
    options: [...(question.options ?? []), ...changeOptions(exception_id)],
    schema: z.union([...humanResolution.options, ...exceptionDecision.options]),
    context: { ...question.context, exception_id },
  };
}

async function carryOut(site: FactorySite, name: string, { changes, sheets }: StateChanges): Promise<void> {
  await site.keep(`apply:${name}`, async (call) => {
    const project = await site.project();
    for (const [index, change] of changes.entries()) {
      const isLast = index === changes.length - 1;
      await project.apply({ ...call, operationId: `${call.operationId}/${index + 1}` }, change, isLast ? sheets : {});
    }
    for (const id of Object.keys(sheets)) {
      await project.taskFile(id, (await dependenciesOf(site.shop, project, id)).map(dependencyContract));
    }
    return null;
  });
}

async function factsFor(
  shop: FactoryShop,
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
    planFacts: await planFactsFor(shop, project, task_id, answer),
    failed,
    at,
  };
}

/** Of a plan that a person gives: the same as of a planner's. */
async function planFactsFor(shop: FactoryShop, project: Project, task: string, answer: unknown): Promise<PlanFacts> {
  const plan = (answer as { readonly revised_micro_plan?: unknown }).revised_micro_plan;
  const dependencies = (await dependenciesOf(shop, project, task)).map(({ module_id, version }) => `${module_id}@${version}`);
  return planFacts(shop, plan, { dependencies });
}

/** The task that halted first, or the first that waits for one that was given up; with its escalation on record. */
export async function openEscalation(site: FactorySite, turn: number, halted: string | undefined): Promise<Escalation> {
  const { documents } = site.shop;
  if (halted !== undefined) {
    return site.keep(`escalation:${turn}`, async () => {
      const { escalation_ref } = (await site.project()).task(halted);
      return documents.get(escalationKind, escalation_ref ?? "");
    });
  }
  const at = await site.moment(`stuck-at:${turn}`);
  const stuck = await site.keep(`stuck:${turn}`, async () => {
    const project = await site.project();
    const { task_id, abandoned } = firstStuck(project);
    return { escalation_id: newEscalationId(), draft: stuckTask(await project.sheet(task_id), abandoned) };
  });
  return site.keep(`escalate:${turn}`, async (call) => {
    const machine = (await site.project()).machine();
    return keepEscalation(documents, call, { ...stuck, machine, at });
  });
}

/** Everything else that is blocked waits for this one. */
function firstStuck(project: Project): { readonly task_id: string; readonly abandoned: string[] } {
  const { tasks } = project.machine();
  const inOrder = Object.entries(tasks).toSorted(([, left], [, right]) => left.declaration_order - right.declaration_order);
  const stuck = inOrder.map(([task_id, { status, depends_on }]) => ({
    task_id,
    abandoned: status === "BLOCKED" ? depends_on.filter((id) => tasks[id]?.status === "ABANDONED") : [],
  }));
  return stuck.find(({ abandoned }) => abandoned.length > 0) ?? { task_id: "", abandoned: [] };
}
