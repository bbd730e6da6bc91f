import { escalationsAfter } from "@slipway/agents/routing/tiers";
import { inPlace } from "../dispatch/ask-agent.ts";
import { mustPerform } from "../change/perform.ts";
import { countOf, type Entries } from "./batch.ts";
import { folderFor } from "./folder.ts";
import { packFor } from "./pack.ts";
import { invokerOf } from "../change/invoker.ts";
import { withPauses } from "../dispatch/pauses.ts";
import type { AttemptResult, Start } from "../change/phase.ts";
import { answerRequest } from "./requests.ts";
import { WORKER_STEPS } from "./steps.ts";
import { askedOutput, type WorkerOutput } from "./schemas.ts";
import type { WorkerRole } from "../change/worker-role.ts";
import { beginSession } from "../change/sessions.ts";
import { orchestratorCall, type ChangeRun } from "../change/change-run.ts";

export interface Assignment<R extends WorkerRole> extends Start {
  readonly role: R;
  /** The QA batch; other roles keep one session per feature. */
  readonly batch?: string;
  readonly instructions?: string;
  readonly entries?: Entries;
}

/** An output that is neither a note nor a request. For QA a note is a delivery: it says that no test is missing. */
export type WorkerDelivery<R extends WorkerRole> = Exclude<WorkerOutput<R>, { type: "REQUEST" }> &
  (R extends "qa" ? unknown : { type: "PLAN_SUBMISSION" | "PATCH" });

export const INSTRUCTIONS: Record<WorkerRole, string> = {
  planner: "Plan this feature: return a PLAN_SUBMISSION.",
  builder: "Implement the accepted plan: return a PATCH.",
  qa: "Test this change: return a PATCH with the tests that are missing, or a NOTE if none are.",
};

/** One invocation. Notes are recorded and requests are answered; neither counts as a delivery. */
export async function askWorker<R extends WorkerRole>(
  change: ChangeRun,
  assignment: Assignment<R>,
): Promise<AttemptResult<WorkerDelivery<R>>> {
  const { role, attempt, last, batch, show, entries, failures = 0, instructions = INSTRUCTIONS[role] } = assignment;
  const step = WORKER_STEPS[role as WorkerRole].named(attempt);
  const output = askedOutput(role, entries === undefined ? 0 : countOf(entries));
  await beginSession(change, role, attempt, batch);
  const reply = await withPauses(invokerOf(change), step, (name, handAnswer) =>
    inPlace<WorkerOutput<R>>(change, name, async (signal) => {
      const pack = await packFor(change, { role, last, show, entries });
      return change.services.dispatcher.invoke(
        {
          role,
          subject: change.id,
          runId: change.ctx.runId,
          attempt,
          invocation: orchestratorCall(change, step).operationId,
          escalations: escalationsAfter(failures),
          pack,
          instructions,
          schema: output.plain,
          call: orchestratorCall(change, name),
          folder: () => folderFor(change, { role, show, output }),
          handAnswer,
        },
        signal,
      );
    }),
  );
  if (!reply.ok) return reply;
  const answer = reply.value;
  if (answer.type === "NOTE") {
    await mustPerform(change, `note:${step}`, (call) =>
      change.services.kernel.features.note(call, { feature_id: change.id, role, text: answer.text }),
    );
    if (role !== "qa") return { ok: false, reply: `The ${role} returned a NOTE. It was recorded, but the work itself is still missing.` };
  }
  if (answer.type === "REQUEST") return answerRequest(change, step, role, answer);
  return { ok: true, value: answer as WorkerDelivery<R> };
}
