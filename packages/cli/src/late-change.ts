import { jsonLine } from "./terminal/escape.ts";
import { SlipwayError } from "@slipway/durable/errors";
import { isFinished } from "@slipway/durable/status";
import { escalationKind } from "@slipway/protocols/factory/escalation/schema";
import { decided, decisionLogKind, exceptionDecision, noted } from "@slipway/protocols/factory/exceptions/decisions";
import { taskThatHalted, type LateChangeInput } from "@slipway/protocols/factory/late-change";
import type { ExceptionView } from "@slipway/protocols/factory/views/escalations";
import { agentChoice } from "./agent-choice.ts";
import { assertAgents } from "@slipway/runtime/agents";
import type { Arguments } from "./command.ts";
import { conduct } from "./conduct.ts";
import { EXIT, type ExitCode } from "@slipway/runtime/exit-codes";
import { withFactory, type FactoryRoom } from "./factory-room.ts";
import type { Io } from "./io.ts";
import { personOf } from "@slipway/runtime/caller";
import { freeRunId } from "@slipway/runtime/start-run";
import { reasonFrom } from "./unsandboxed.ts";
import { withSession } from "./with-session.ts";

export interface Late {
  readonly view: ExceptionView;
  readonly decision: "APPROVE_CHANGE" | "REJECT_CHANGE" | "DEFER";
}

/** A decision about an exception that no question asks for any more: its task went another way. */
export async function decideLate(args: Arguments, io: Io, late: Late): Promise<ExitCode> {
  await withFactory(io, (room) => assertNotComing(room, late.view));
  return late.decision === "APPROVE_CHANGE" ? changeNow(args, io, late) : noteDecision(args, io, late);
}

/** While its task is halted, the run of the project asks about it: a second answer would come in between. */
async function assertNotComing({ head, tasks, engine }: FactoryRoom, { task_id, exception }: ExceptionView): Promise<void> {
  const task = task_id === null ? undefined : (await tasks()).get(task_id);
  if (head === null || task?.status !== "HALTED") return;
  const run = await engine.run(head.project_id);
  if (run === undefined || isFinished(run.status)) return;
  throw new SlipwayError(
    "question_not_found",
    `${exception.exception_id} is not asked about yet; ${task_id} is halted, and its run has to go on first.`,
    {
      suggested_next_actions: [`\`slipway resume ${head.project_id}\`, then decide.`],
    },
  );
}

function noteDecision(args: Arguments, io: Io, { view, decision }: Late): Promise<ExitCode> {
  const comment = args.text("comment");
  const given =
    decision === "REJECT_CHANGE"
      ? { decision, reason: comment, afterwards: "STAY_HALTED" }
      : { decision, ...(comment === undefined ? {} : { note: comment }) };
  const answer = exceptionDecision.safeParse(given);
  if (!answer.success) {
    throw new SlipwayError("answer_invalid", "REJECT_CHANGE needs a reason.", { suggested_next_actions: ["Give it with --comment TEXT."] });
  }
  return withFactory(io, async ({ records, documents }) => {
    const { exception_id } = view.exception;
    const { status, note } = decided(answer.data, view.task_id ?? "");
    const actor = personOf(io);
    const line = { status, at: new Date(records.clock.now()).toISOString(), by: actor.id, note };
    const call = { actor, operationId: records.ids.next("ice") };
    await documents.revise(call, decisionLogKind, exception_id, line, (log) => noted(log, line));
    if (args.flag("json")) io.out(jsonLine({ ok: true, exception_id, status }));
    else io.out(`${exception_id} is ${status}.\n`);
    return EXIT.done;
  });
}

/** A run of its own: the contract is debated, the new version built and shipped. */
async function changeNow(args: Arguments, io: Io, { view }: Late): Promise<ExitCode> {
  const { exception_id } = view.exception;
  noted({ exception_id, entries: [...view.decisions] }, { status: "APPROVED", at: new Date().toISOString(), by: "person", note: "" });
  const task = await withFactory(io, async ({ documents }) =>
    taskThatHalted(await documents.get(escalationKind, view.escalation_id ?? "")),
  );
  const choice = agentChoice(args);
  const json = args.flag("json");
  return withSession({ io, json, agents: choice, unsandboxedReason: reasonFrom(args) }, async (session, progress) => {
    await assertAgents({ kernel: session.kernel, io, choice, protocol: "factory" });
    await session.sandbox();
    const runId = await freeRunId(session, exception_id.toLowerCase());
    const input: LateChangeInput = {
      agents: await session.agents("factory"),
      exception_id,
      task,
      by: personOf(io).id,
      note: args.text("comment") ?? "",
    };
    await session.engine.start("factory-late-change", input, { runId });
    await session.recordOverride(runId);
    if (!json) io.out(`run ${runId}\n`);
    return await conduct({ session, runId, io, json, progress });
  });
}
