import type { Failure } from "@slipway/durable/errors";
import { CALLS_IN_PLACE } from "../dispatch/ask-agent.ts";
import { nextActions } from "../dispatch/pauses.ts";
import { mustPerform } from "./perform.ts";
import { retryAnswer } from "../dispatch/retry-answer.ts";
import type { WorkerRole } from "./worker-role.ts";
import { endSession } from "./sessions.ts";
import type { OperationResult, ChangeRun } from "./change-run.ts";
import { CHANGE_STEPS } from "./steps.ts";

/** What the next pack tells the worker: how its last attempt failed, a person's comment, or the reply to its request. */
export type LastAttempt = { readonly failure: Failure } | { readonly comment: string } | { readonly reply: string } | null;

/** The result of one attempt. With a `reply`, the worker asked for something and continues with the answer; that is not a failure. */
export type AttemptResult<T> = OperationResult<T> | { readonly ok: false; readonly reply: string; readonly show?: readonly string[] };

/** The input of an attempt. */
export interface Start {
  /** Unique in the run, and independent of other features. */
  readonly attempt: string;
  readonly last: LastAttempt;
  /** Files the worker asked to see. */
  readonly show: readonly string[];
  /** Failed attempts of the phase so far. */
  readonly failures?: number;
}

export type Phase = "planning" | "building" | "qa";

const WORKER_OF: Readonly<Record<Phase, WorkerRole>> = { planning: "planner", building: "builder", qa: "qa" };

/**
 * Calls `once` a bounded number of times. Then it blocks the feature, and a person decides: another round with guidance, or the
 * end. Returns null if the person gives up.
 */
export async function retryPhase<T>(
  change: ChangeRun,
  phase: Phase,
  comment: string | null,
  once: (start: Start) => Promise<AttemptResult<T>>,
  review = 1,
): Promise<T | null> {
  const limit = change.services.settings.max_iterations_per_phase;
  let last: LastAttempt = comment === null ? null : { comment };
  const show: string[] = [];
  let failures = 0;
  for (let round = 1; ; round++) {
    for (let iteration = 1; iteration <= limit; iteration++) {
      const tried = await once({ attempt: attemptName(review, round, iteration, limit), last, show: [...show], failures });
      if (tried.ok) return tried.value;
      if ("reply" in tried) show.push(...(tried.show ?? []));
      else failures++;
      last = "reply" in tried ? { reply: tried.reply } : { failure: tried.failure };
      // Another attempt cannot help if only a person can fix the cause, or if the provider does not answer.
      if ("failure" in tried && (tried.failure.details["requires_human"] === true || isUnanswered(tried.failure))) break;
    }
    const guidance = await askForHelp(change, phase, `${review}.${round}`, last);
    if (guidance === null) return null;
    last = { comment: guidance };
  }
}

/** 1, 2, 3 … in the first review; later ones are prefixed with the number of the review. */
function attemptName(review: number, round: number, iteration: number, limit: number): string {
  const attempt = String((round - 1) * limit + iteration);
  return review === 1 ? attempt : `${review}.${attempt}`;
}

async function askForHelp(change: ChangeRun, phase: Phase, name: string, last: LastAttempt): Promise<string | null> {
  const failure = last !== null && "failure" in last ? last.failure : null;
  const why = failure === null ? "no attempt passed" : `${failure.code}: ${failure.message}`;
  const unanswered = failure !== null && isUnanswered(failure);
  const tried = unanswered
    ? `The ${WORKER_OF[phase]} was called ${CALLS_IN_PLACE} times and gave no answer. The last call ended with`
    : "No attempt passed. The last one ended with";
  const setStatus = (step: string, to: Phase | "blocked" | "failed", reason: string) =>
    mustPerform(change, step, (call) => change.services.kernel.features.changeStatus(call, { feature_id: change.id, to, reason }));

  await endSession(change, WORKER_OF[phase], `${phase}:${name}`, "blocked");
  await setStatus(
    CHANGE_STEPS.block.named(`${phase}:${name}`),
    "blocked",
    `${phase} ${unanswered ? "got no answer" : "used up its attempts"}; last: ${why}`,
  );
  const answer = await change.ctx.ask(`blocked:${phase}:${name}`, {
    kind: "blocked",
    title: `${change.id} is blocked in ${phase}`,
    body: [`${tried} ${why}`, ...(failure === null ? [] : nextActions(failure))].join("\n"),
    options: [
      { value: "retry", label: "try again, with your comment as guidance" },
      { value: "give_up", label: "end this feature; its work stays reachable" },
    ],
    schema: retryAnswer,
    context: { feature_id: change.id, phase },
  });
  if (answer.decision === "give_up") {
    await setStatus(`give-up:${phase}:${name}`, "failed", answer.comment ?? "given up by a person");
    return null;
  }
  await setStatus(`unblock:${phase}:${name}`, phase, `a person asked for another round (${name})`);
  return answer.comment ?? "Try again.";
}

/** No call returned an answer that could be judged. */
function isUnanswered({ code }: Failure): boolean {
  return code === "agent_failed";
}
