import { engineering, type Resumption } from "./engineering/engineering.ts";
import { decideChange } from "./change-decision.ts";
import { decide, openEscalation } from "./deciding.ts";
import type { EngineeringTask } from "./engineering/ports.ts";
import { exceptionDetails, keepEscalation } from "./escalation/escalate.ts";
import { newEscalationId } from "./escalation/schema.ts";
import { exceptionKind } from "./exceptions/schema.ts";
import { brokenOff, haltedTask, resumptionFor, type HaltedTask } from "./halted.ts";
import { prepareTask } from "./preparing.ts";
import type { ProductSpec } from "./product/spec.ts";
import { initialiseProject } from "./project/initialise.ts";
import { changeFor, type Outcome, type ProjectSteps } from "./project/loop.ts";
import type { FactoryShop } from "./shop.ts";
import type { FactorySite } from "./site.ts";

/** The steps of the project loop as a run carries them out. What is kept in memory is made again, the same, when the run is replayed. */
export function projectSteps(site: FactorySite, spec: ProductSpec): ProjectSteps {
  const { ctx, shop } = site;
  const halts = new Map<string, HaltedTask>();
  const resumptions = new Map<string, Resumption>();
  const prepared = new Map<string, EngineeringTask>();

  /** One task at work is a run of its own: only what it returns comes back. */
  async function engineer(task: string, turn: number): Promise<HaltedTask | readonly string[]> {
    const given = await site.keep(`prepare:${turn}`, async () => prepareTask(shop, await site.project(), task));
    prepared.set(task, given);
    const resumption = resumptions.get(task);
    resumptions.delete(task);
    try {
      const input = { task: given, ...(resumption === undefined ? {} : { resumption }) };
      const result = await ctx.child(`task:${turn}`, engineering, input);
      return result.status === "SHIPPED" ? result.modules : haltedTask(result);
    } catch (error) {
      return brokenOff(given, error);
    }
  }

  return {
    async init_state_machine() {
      await site.keep("init_state_machine", async (call) => {
        await initialiseProject(shop.room, call, ctx.runId, spec);
        return null;
      });
    },

    dispatch: (turn) =>
      site.keep(`dispatch:${turn}`, async (call) => {
        const project = await site.project();
        const decision = project.decision();
        if (decision.kind === "start") await project.apply(call, { kind: "dispatch", task: decision.task });
        return decision;
      }),

    async engineering(task, turn): Promise<Outcome> {
      const ended = await engineer(task, turn);
      if (!("draft" in ended)) return { result: "SHIPPED", module_refs: [...ended] };
      halts.set(task, ended);
      const escalation_ref = await site.keep(`halted:${turn}`, async () => newEscalationId());
      return { result: "HALTED", reason: ended.draft.minimal_decision_required, escalation_ref };
    },

    async update_state_machine(task, outcome, turn) {
      const at = await site.moment(`ended:${turn}`);
      await site.keep(`update_state_machine:${turn}`, async (call) => {
        await (await site.project()).apply(call, changeFor(task, outcome, at));
        return null;
      });
      const halted = halts.get(task);
      if (outcome.result === "SHIPPED" || halted === undefined) return;
      await site.keep(`escalate:${turn}`, async (call) => {
        const machine = (await site.project()).machine();
        const { draft } = halted;
        const details = { ...halted.details, ...(await exceptionIn(shop, halted)) };
        await keepEscalation(shop.documents, call, { escalation_id: outcome.escalation_ref, draft, details, machine, at });
        return null;
      });
    },

    async waitForPerson(decision, turn) {
      const escalation = await openEscalation(site, turn, decision.kind === "halted" ? decision.tasks[0] : undefined);
      const { task_id } = escalation;
      const halted = halts.get(task_id) ?? null;
      const task = prepared.get(task_id);
      if (task !== undefined && typeof halted?.exception_id === "string") {
        const { exception_id } = halted;
        if (await decideChange(site, { turn, escalation, exception_id, task })) return void halts.delete(task_id);
      }
      const { resume } = await decide(site, turn, escalation, halted);
      const resumption = halted === null ? null : resumptionFor(resume, halted);
      if (resumption !== null) resumptions.set(task_id, resumption);
      halts.delete(task_id);
    },
  };
}

/** Of an interface change that halted the task, everything that is needed to decide. */
async function exceptionIn({ documents }: FactoryShop, { exception_id }: HaltedTask): Promise<Record<string, unknown>> {
  return exception_id === null ? {} : exceptionDetails(await documents.get(exceptionKind, exception_id));
}
