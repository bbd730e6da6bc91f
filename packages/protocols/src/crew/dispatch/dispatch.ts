import { createPack } from "@slipway/agents/pack";
import type { PackChanges } from "@slipway/agents/packs/changes";
import { workflow } from "@slipway/durable/ctx";
import { toFailure, type Failure } from "@slipway/durable/errors";
import { isStorageFailure } from "@slipway/durable/failures";
import { SlipwayError } from "@slipway/agents/errors";
import { createRedactor } from "@slipway/kernel/host/redaction/redactor";
import { invokerOf } from "../../change/invoker.ts";
import type { ChangeServices } from "../../change/services.ts";
import type { Reply } from "../../dispatch/dispatcher.ts";
import { withPauses } from "../../dispatch/pauses.ts";
import { recordRefusals } from "../../dispatch/refusals.ts";
import { dispatchInputSchema, type DispatchInput } from "../contract/input.ts";
import { definitionName } from "../contract/names.ts";
import type { AgentOutput } from "../contract/output.ts";
import { callOf, openCrewRun, type CrewRef, type CrewRun } from "../crew-run.ts";
import { renderPrompt } from "../prompts/render.ts";
import { sessionPath } from "../session/session-name.ts";
import { CREW_STEPS } from "../steps.ts";
import { recordedStatus, STATUS_FILE } from "./accept-files.ts";
import { checkDispatch } from "./check.ts";
import { checklistOf } from "./checklist.ts";
import { judgeAnswer } from "./judge-answer.ts";
import type { CrewAnswer, Attempted, DispatchOrder } from "./order.ts";
import { sectionsOf } from "./sections.ts";
import { crewWorkspace, openSession } from "./workspace.ts";

export interface DispatchChild {
  readonly ref: CrewRef;
  readonly order: DispatchOrder;
  /** 1 to 3; the input of a repetition is that of the first. */
  readonly attempt: number;
  readonly input: DispatchInput | null;
}

/** One attempt of a dispatch as a child run: the checks, one call without repairs, and what can be judged of the answer. */
export const crewDispatch = workflow<DispatchChild, Attempted, ChangeServices>("crew-dispatch", "1", async (ctx, child, services) => {
  const run = openCrewRun(ctx, services, child.ref);
  const { order, attempt } = child;
  const checked = await ctx.step(CREW_STEPS.check.named(order.role), () => checkDispatch(run, order, child.input));
  if (checked.kind !== "send") return checked;
  const { input, context } = checked;
  const reply = await ask(run, order, attempt, input, checked.hasInstructions);
  if (!reply.ok) {
    const { code, message, details } = reply.failure;
    return {
      kind: "failed",
      input,
      error: `${code}: ${message}`,
      transient: code !== "agent_output_invalid" && details["requires_human"] !== true,
    };
  }
  const { violations } = reply.value;
  if (violations.length > 0) await ctx.step("violations", () => recordViolations(run, order, violations).then(() => null));
  return { kind: "answered", input, answer: reply.value, context };
});

/** A failed call is an attempt like an invalid answer: three in all, and none of them is repeated in place. */
function ask(
  run: CrewRun,
  order: DispatchOrder,
  attempt: number,
  input: DispatchInput,
  hasInstructions: boolean,
): Promise<Reply<CrewAnswer>> {
  const invoker = invokerOf(run.change);
  const name = attempt === 1 ? String(order.number) : `${order.number}.${attempt}`;
  const step = CREW_STEPS.agent.named(order.role, name);
  const invocation = invoker.call(step).operationId;
  return withPauses(invoker, step, (at, handAnswer) =>
    run.ctx.step(
      at,
      async (signal): Promise<Reply<CrewAnswer>> => {
        const opened = await openSession(run, order);
        const asked = {
          protocol: "crew",
          role: definitionName(order.role),
          subject: run.id,
          attempt: name,
          pack: createPack(await sectionsOf(run, order, input, opened)),
          instructions: promptOf(run, order, input, hasInstructions),
          answer: "only_json" as const,
          maxRepairs: 0,
          workspace: () => crewWorkspace(run, order, opened, (output, changes) => adopt(run, order, opened, output, changes)),
        };
        try {
          return await invoker.dispatcher.invoke(
            { ...asked, runId: run.ctx.runId, invocation, call: invoker.call(at), handAnswer },
            signal,
          );
        } catch (error) {
          if (signal.aborted || isStorageFailure(error) || !(error instanceof SlipwayError) || STOPS.includes(error.code)) throw error;
          return { ok: false, failure: toFailure(error) };
        }
      },
      { durability: "relaxed" },
    ),
  );
}

const STOPS: readonly string[] = ["lease_lost", "run_cancelled", "run_stopped"];

function promptOf({ folder, ref }: CrewRun, order: DispatchOrder, input: DispatchInput, hasProjectInstructions: boolean): string {
  return renderPrompt({
    role: order.role,
    definition: "Your definition is the text before this task.",
    session: folder,
    // In the order of the contract: a recorded value has its keys sorted.
    input: dispatchInputSchema.parse(input),
    hasProjectInstructions,
    checklist: checklistOf(order, ref.project_type),
  });
}

function adopt(
  run: CrewRun,
  order: DispatchOrder,
  opened: Awaited<ReturnType<typeof openSession>>,
  output: AgentOutput,
  changes: PackChanges,
): Reply<CrewAnswer> {
  const { kernel } = run.change.services;
  const tokens = createRedactor({ secrets: [] });
  const judged = judgeAnswer(output, changes, {
    order,
    opened,
    status: recordedStatus(opened.files[STATUS_FILE]),
    folder: run.folder,
    session: run.session,
    projectType: run.ref.project_type,
    at: new Date(kernel.clock.now()).toISOString(),
    hasSecret: (text) => tokens.text(text) !== text || kernel.conceal(text) !== text,
  });
  return judged.ok ? judged : { ok: false, failure: invalidAnswer(order, judged.problems) };
}

function invalidAnswer({ role, taskId }: DispatchOrder, problems: readonly string[]): Failure {
  const message = `The answer of ${role} for ${taskId} is not valid: ${problems.join("; ")}`;
  const details = { role, errors: problems, suggested_next_actions: ["Read the transcript of the call; a stronger model may help."] };
  return toFailure(new SlipwayError("agent_output_invalid", message, details));
}

/** Edits that a role may not make are events of the journal, like refused calls. */
async function recordViolations(run: CrewRun, { role }: DispatchOrder, violations: readonly string[]): Promise<void> {
  const { kernel } = run.change.services;
  const file = (text: string) => `${sessionPath(run.folder)}${text.includes(STATUS_FILE) ? STATUS_FILE : "tasks.yaml"}`;
  const refusals = violations.map((reason) => ({ tool: "edit", path: file(reason), reason }));
  const call = callOf(run, "violations");
  await recordRefusals(kernel, { role: `crew/${definitionName(role)}`, subject: run.id, invocation: call.operationId, call }, refusals);
}
