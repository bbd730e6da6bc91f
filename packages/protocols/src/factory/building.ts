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
import type { FactoryShop } from "./shop.ts";
import type { FactorySite } from "./site.ts";

export interface ProjectSource {
  readonly origin: ProjectOrigin;
  /** The project that was made from this page before it was edited. */
  readonly previous: string | undefined;
}

/** The steps of the project loop as a run carries them out. What is kept in memory is made again, the same, when the run is replayed. */
export function projectSteps(site: FactorySite, spec: ProductSpec, from: ProjectSource): ProjectSteps {
  const { ctx, shop } = site;
  const halts = new Map<string, HaltedTask>();
  const resumptions = new Map<string, Resumption>();
  const prepared = new Map<string, EngineeringTask>();
  const takes = new Map<string, number>();

  /** One task at work is a run of its own: only what it returns comes back. */
  async function engineer(task: string, turn: number): Promise<HaltedTask | readonly string[]> {
    const take = (takes.get(task) ?? 0) + 1;
    takes.set(task, take);
    const sheet = await site.keep(`prepare:${turn}`, async () => prepareTask(shop, await site.project(), task));
    let given: EngineeringTask = take === 1 ? sheet : { ...sheet, take: String(take) };
    prepared.set(task, given);
    const resumption = resumptions.get(task);
    resumptions.delete(task);
    try {
      if (given.before?.mayStay === true && resumption === undefined) {
        const { before } = given;
        const looked = await ctx.step(`recheck:${turn}`, async (signal) =>
          recheckTask({ ...shop, sandbox: shop.kernel.sandbox }, await site.project(), task, before.module_refs, signal),
        );
        if (looked.kept) return looked.module_refs;
        given = { ...given, before: { ...before, because: [looked.because] } };
      }
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
        const rooms = { ...shop, projects: shop.room.projects };
        const carried = from.previous === undefined ? undefined : await carriedFrom(rooms, from.previous, spec);
        const begun = { origin: from.origin, ...(carried === undefined ? {} : { carried }) };
        const { total, large } = (await initialiseProject(shop.room, call, ctx.runId, spec, begun)).view();
        return { tasks: total, large };
      });
    },

    dispatch: (turn) =>
      site.keep(`dispatch:${turn}`, async (call) => {
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
      const superseded =
        outcome.result === "SHIPPED" ? supersededBy(prepared.get(task)?.before?.module_refs ?? [], outcome.module_refs) : [];
      if (superseded.length > 0) {
        await site.keep(`supersede:${turn}`, async (call) => {
          await retireSuperseded(shop.codeIndex, call, superseded);
          return superseded;
        });
      }
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
      const first = decision.kind === "halted" ? decision.tasks[0] : undefined;
      if (first !== undefined && (await isShipped(site, `attested:${turn}`, first))) return void halts.delete(first);
      const escalation = await openEscalation(site, turn, first);
      await unlessAttested(() => decideOn(escalation, turn));
      halts.delete(escalation.task_id);
    },
  };

  async function decideOn(escalation: Escalation, turn: number): Promise<void> {
    const { task_id } = escalation;
    const halted = halts.get(task_id) ?? null;
    const task = prepared.get(task_id);
    let deferred: OpenException | null = null;
    if (task !== undefined && typeof halted?.exception_id === "string") {
      const open = { turn, escalation, exception_id: halted.exception_id, task };
      const outcome = await decideChange(site, open);
      if (outcome === "moving") return;
      if (outcome === "open") deferred = open;
    }
    const resolved = await decide(site, turn, { escalation, halted, deferred });
    const resumption = halted === null || resolved === null ? null : resumptionFor(resolved.resume, halted);
    if (resumption !== null) resumptions.set(task_id, resumption);
  }
}

/** Of an interface change that halted the task, everything that is needed to decide. */
async function exceptionIn({ documents }: FactoryShop, { exception_id }: HaltedTask): Promise<Record<string, unknown>> {
  return exception_id === null ? {} : exceptionDetails(await documents.get(exceptionKind, exception_id));
}
