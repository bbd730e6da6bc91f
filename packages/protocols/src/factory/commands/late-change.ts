import { jsonLine } from "../../surface/escape.ts";
import { SlipwayError } from "@slipway/agents/errors";
import { isFinished } from "@slipway/durable/status";
import { escalationKind } from "../escalation/schema.ts";
import { decided, decisionLogKind, exceptionDecision, noted } from "../exceptions/decisions.ts";
import { lateChange, taskThatHalted, type LateChangeInput } from "../late-change/protocol.ts";
import type { ExceptionView } from "../views/escalations.ts";
import type { Arguments } from "../../surface/command.ts";
import { EXIT, type ExitCode } from "../../surface/exit-codes.ts";
import { withFactory, type OpenFactory } from "./with-factory.ts";
import type { Surface } from "../../surface/surface.ts";
import { personOf } from "../../surface/caller.ts";

export interface Late {
  readonly view: ExceptionView;
  readonly decision: "APPROVE_CHANGE" | "REJECT_CHANGE" | "DEFER";
}

/** Decides an exception that has no open question any more, because its task was resolved in another way. */
export async function decideLate(args: Arguments, surface: Surface, late: Late): Promise<ExitCode> {
  await withFactory(surface, (factory) => assertNotComing(factory, late.view));
  return late.decision === "APPROVE_CHANGE" ? changeNow(args, surface, late) : noteDecision(args, surface, late);
}

/** While the task is halted, the run of the project asks about the exception; a decision here would conflict with that answer. */
async function assertNotComing({ head, tasks, engine }: OpenFactory, { task_id, exception }: ExceptionView): Promise<void> {
  const task = task_id === null ? undefined : (await tasks()).get(task_id);
  if (head === null || task?.status !== "HALTED") return;
  const run = await engine.run(head.project_id);
  if (run === undefined || isFinished(run.status)) return;
  throw new SlipwayError(
    "question_not_found",
    `${exception.exception_id} has no open question yet: ${task_id} is halted, and its run must resume first.`,
    {
      suggested_next_actions: [`\`slipway resume ${head.project_id}\`, then decide.`],
    },
  );
}

function noteDecision(args: Arguments, surface: Surface, { view, decision }: Late): Promise<ExitCode> {
  const comment = args.text("comment");
  const given =
    decision === "REJECT_CHANGE"
      ? { decision, reason: comment, afterwards: "STAY_HALTED" }
      : { decision, ...(comment === undefined ? {} : { note: comment }) };
  const answer = exceptionDecision.safeParse(given);
  if (!answer.success) {
    throw new SlipwayError("answer_invalid", "REJECT_CHANGE needs a reason.", { suggested_next_actions: ["Give it with --comment TEXT."] });
  }
  return withFactory(surface, async ({ records, documents }) => {
    const { exception_id } = view.exception;
    const { status, note } = decided(answer.data, view.task_id ?? "");
    const actor = personOf(surface);
    const line = { status, at: new Date(records.clock.now()).toISOString(), by: actor.id, note };
    const call = { actor, operationId: records.ids.next("ice") };
    await documents.revise(call, decisionLogKind, exception_id, line, (log) => noted(log, line));
    if (args.flag("json")) surface.out(jsonLine({ ok: true, exception_id, status }));
    else surface.out(`${exception_id} is ${status}.\n`);
    return EXIT.done;
  });
}

/** Starts a run that debates the contract, then builds and ships the new version. */
async function changeNow(args: Arguments, surface: Surface, { view }: Late): Promise<ExitCode> {
  const { exception_id } = view.exception;
  noted({ exception_id, entries: [...view.decisions] }, { status: "APPROVED", at: new Date().toISOString(), by: "person", note: "" });
  const task = await withFactory(surface, async ({ documents }) =>
    taskThatHalted(await documents.get(escalationKind, view.escalation_id ?? "")),
  );
  return surface.run(args, async (starter) => {
    await starter.assertAgents("factory");
    await starter.sandbox();
    const input: LateChangeInput = {
      agents: await starter.agents("factory"),
      exception_id,
      task,
      by: personOf(surface).id,
      note: args.text("comment") ?? "",
    };
    return { runId: await starter.start(lateChange.name, exception_id.toLowerCase(), input) };
  });
}
