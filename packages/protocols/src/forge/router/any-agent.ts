import type { PlayedForgeRole } from "../agents.ts";
import { REVIEWERS } from "../rules/thresholds.ts";
import type { RouteOutcome } from "./actions.ts";
import { BUDGETS } from "./budgets.ts";
import type { AgentOutcome, RouteInput } from "./inputs.ts";

/** Their failure does not end a run: the rows of their steps decide. */
const TOLERATED: readonly PlayedForgeRole[] = ["researcher", "knowledge-agent"];

/** Row 21. Null: every agent of the step has an answer that the step's own rows can judge. */
export function settleAgents(input: RouteInput): RouteOutcome | null {
  // A blocker ends the run at once, without waiting for another reviewer.
  if (!("agents" in input) || ("blockers" in input && input.blockers > 0)) return null;
  const failed = input.agents.filter(isFailed);
  const lost = failed.filter((agent) => !mayRetry(agent) && !TOLERATED.includes(agent.role));
  if (lost.length > 0) return fail(`${lost.map(nameOf).join(", ")} failed`);
  const retried = failed.filter(mayRetry).map(({ instance }) => instance);
  if (retried.length > 0) return { action: { type: "retry", instances: retried } };
  if (isEmpty(input)) return fail(`nothing was dispatched in ${input.input}`);
  if ("submitted" in input && input.submitted < REVIEWERS)
    return fail(`${input.submitted} of ${REVIEWERS} verdicts were submitted`, "review-incomplete");
  return null;
}

/** Also a planner that asks for a revision: no row has another role for it. */
function isFailed({ role, status }: AgentOutcome): boolean {
  return status === null || status === "ERROR" || (role === "planner" && status === "NEEDS_REVISION");
}

function mayRetry({ attempts, deterministic, status }: AgentOutcome): boolean {
  // An invalid block has one retry whatever its cause.
  const retries = deterministic && status !== null ? BUDGETS.deterministicRetries : BUDGETS.redispatches;
  return attempts <= retries;
}

function isEmpty(input: Extract<RouteInput, { readonly agents: unknown }>): boolean {
  if (input.input === "research" || input.input === "knowledge") return false;
  return input.agents.length === 0 || ("tasks" in input && input.tasks.length === 0);
}

function fail(reason: string, escalation: RouteOutcome["escalation"] = "agent-failed"): RouteOutcome {
  return { action: { type: "fail", reason }, escalation };
}

function nameOf({ instance, status }: AgentOutcome): string {
  return `${instance} (${status ?? "no valid completion block"})`;
}
