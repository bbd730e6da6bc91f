import { failureText, judged } from "../change/narrate.ts";
import type { WorkerRole } from "../change/worker-role.ts";
import type { Reply } from "../dispatch/dispatcher.ts";
import { narrates, type NarratedStep, type StepLine } from "../narration/step-text.ts";
import type { WorkerOutput } from "./schemas.ts";
import { FEATURE_STEPS, WORKER_STEPS } from "./steps.ts";

const RETRIED = {
  starts: "retrying the feature",
  ends: ({ ok }: { readonly ok: boolean }) => (ok ? { text: "retried; worktree and branch are ready", good: true } : null),
};

export const FEATURE_NARRATION: readonly NarratedStep[] = [
  narrates(WORKER_STEPS.planner, {
    role: "planner",
    starts: "planner at work",
    ends: (reply, attempt) => replyLine("planner", reply, attempt),
  }),
  narrates(WORKER_STEPS.builder, {
    role: "builder",
    starts: "builder at work",
    ends: (reply, attempt) => replyLine("builder", reply, attempt),
  }),
  narrates(WORKER_STEPS.qa, { role: "qa", starts: "qa at work", ends: (reply, attempt) => replyLine("qa", reply, attempt) }),
  narrates(FEATURE_STEPS.retry, RETRIED),
  narrates(FEATURE_STEPS.retryAgain, RETRIED),
  narrates(FEATURE_STEPS.testPatch, {
    starts: "checking the tests",
    ends: (result) => judged(result, "tests added, within the plan", "tests refused"),
  }),
  narrates(FEATURE_STEPS.verdicts, {
    starts: "updating the test index",
    ends: (result) => (result.ok ? null : judged(result, "", "test index refused")),
  }),
];

const PAUSES: readonly string[] = ["rate_limited", "quota_exhausted", "budget_exceeded", "answer_pending"];

function replyLine<R extends WorkerRole>(role: R, reply: Reply<WorkerOutput<R>>, attempt: string): StepLine {
  if (!reply.ok) {
    const { failure } = reply;
    // A limit is not the worker's failure.
    if (PAUSES.includes(failure.code)) return { text: `${role} waits: ${failure.message}`, good: null };
    return { text: `${role} failed (attempt ${attempt}): ${failureText(failure)}`, good: false };
  }
  return { text: `${role} ${outputText(reply.value)}${attempt === "1" ? "" : ` (attempt ${attempt})`}`, good: null };
}

function outputText(output: WorkerOutput<WorkerRole>): string {
  if (output.type === "PLAN_SUBMISSION") return "proposes a plan";
  return output.type === "PATCH" ? `proposes a patch: ${output.summary}` : `says: ${output.text}`;
}
