import type { Failure } from "@slipway/durable/errors";
import type { Call } from "@slipway/kernel/record/operations/call";
import type { Candidate } from "@slipway/kernel/change/land/candidate";
import type { Landing } from "@slipway/kernel/change/land/merge";
import { nextActions } from "../dispatch/pauses.ts";
import { perform, mustPerform } from "./perform.ts";
import { askApproval } from "./ask-approval.ts";
import { conflicting, declined, sendBack, type LandingResult } from "./decline.ts";
import { gateAll } from "./gate.ts";
import { holdPlanLocks } from "./locks.ts";
import { withProbe } from "./probe.ts";
import { retryAnswer } from "../dispatch/retry-answer.ts";
import type { ChangeRun } from "./change-run.ts";
import { CHANGE_STEPS, type CheckedCandidate } from "./steps.ts";
import { moveTo, ensureUnblocked } from "./unblock.ts";

/** How often the base may move away under one feature before a person is told to look. */
const MAX_BASE_MOVES = 20;

/** What is in hand: nothing yet, a person's signed word, or a policy that asks for none. */
type Approval = { readonly token: string } | "not needed" | null;

/**
 * Asks for approval of exactly what was gated, then lands exactly that. Approved features land one at a time, in the order of
 * their approvals, so that each is built on the base once and gated there once.
 */
export async function land(change: ChangeRun, review: number): Promise<LandingResult> {
  const { features } = change.services.kernel;
  const required = change.services.kernel.configuration.policy.merge_policy.require_user_approval;
  let approval: Approval = required ? null : "not needed";
  let askedAgain: string | null = null;
  let stalled = "";
  for (let round = 1; ; round++) {
    const name = review === 1 ? String(round) : `${review}.${round}`;
    if (round % MAX_BASE_MOVES === 0 && !(await askToGoOn(change, name, restless(stalled)))) return { status: "rejected" };
    if (approval !== null) await change.ctx.until(`turn:land:${name}`, () => features.turnToLand(change.siblings, change.id));
    if (!(await stillReady(change, name))) return { status: "rejected" };
    const { holds, why, ...candidate } = await candidateFor(change, name, approval);
    if (candidate.conflicts.length > 0) {
      const decided = await conflicting(change, name, candidate);
      if (decided === "retry") continue;
      return decided;
    }
    if (candidate.empty) {
      if (!(await askToGoOn(change, name, alreadyThere(candidate)))) return { status: "rejected" };
      continue;
    }
    const gates = candidate.rebuilt || candidate.outdated;
    const passed = gates ? await gateAll(change, `rebuilt-${name}`) : { ok: true as const, value: candidate.tree };
    if (!passed.ok)
      return lost(change, name, `${candidate.rebuilt ? "On the moved base" : "As it is now"} the gates fail: ${passed.failure.message}`);
    // Adopted under way: what was gated is another candidate.
    if (passed.value !== candidate.tree) continue;
    if (!holds) {
      const answer = await askApproval(change, name, await withProbe(change, name, candidate), why === null ? askedAgain : noLonger(why));
      if (answer.decision === "changes" || answer.decision === "reject") return declined(change, name, answer);
      approval = answer.decision === "approve" ? { token: answer.token } : null;
      askedAgain = answer.decision === "again" ? `Asked again: ${answer.comment ?? "somebody wanted another look"}.` : null;
      continue;
    }
    const contended = await holdPlanLocks(change, `locks:merge:${name}`);
    if (contended !== null) {
      if (!(await askForLocks(change, name, contended))) return { status: "rejected" };
      continue;
    }
    const merged = await merge(change, name, approval);
    if ("landing" in merged) return { status: "merged", landing: merged.landing };
    // The policy may have changed since the candidate was looked at: then the next one is gated again. Once.
    const again = merged.ungated && merged.why === stalled;
    stalled = merged.why;
    if (again && !(await askToGoOn(change, name, { code: "gate_failed", title: "is not gated as it would merge", body: stalled })))
      return { status: "rejected" };
    if (!merged.voided) continue;
    approval = null;
    askedAgain = merged.why;
  }
}

function restless(why: string): Standstill {
  const body = `The base or the change has moved ${MAX_BASE_MOVES} times while this feature waited to land.`;
  return { code: "base_moved", title: "does not come to rest", body: [body, why].join("\n").trim() };
}

/** What would merge now, and whether what is in hand still covers it: recorded together, because an approval can run out. */
function candidateFor(change: ChangeRun, name: string, approval: Approval): Promise<CheckedCandidate> {
  const { features } = change.services.kernel;
  const look = async (call: Call): Promise<CheckedCandidate> => {
    const candidate = await features.candidate(call, { feature_id: change.id });
    if (approval === null || approval === "not needed") return { ...candidate, holds: approval !== null, why: null };
    const holding = await features.approvalHolding(approval.token, candidate);
    return { ...candidate, holds: holding.holds, why: holding.holds ? null : holding.why };
  };
  return mustPerform(change, CHANGE_STEPS.candidate.named(name), look, { asksAlways: true });
}

function noLonger(why: string): string {
  return `Your last approval no longer holds: ${why}.`;
}

function alreadyThere({ base_branch }: Candidate): Standstill {
  return {
    code: "nothing_to_merge",
    title: "has nothing left to merge",
    body: `${base_branch} already holds everything this feature changes.`,
  };
}

/** A feature that lost a lock while it waited was blocked; it is ready again when the locks are its own again. */
async function stillReady(change: ChangeRun, name: string): Promise<boolean> {
  if (!(await ensureUnblocked(change, `land:${name}`, "qa"))) return false;
  const { status } = await change.ctx.step(`status:land:${name}`, () => change.services.kernel.features.standing(change.id));
  return (
    status === "ready_to_merge" || moveTo(change, CHANGE_STEPS.ready.named(`land:${name}`), "ready_to_merge", "every required gate passed")
  );
}

/** A lock of another run is in the way of an approved change: nothing is wrong with the change, so nobody builds it again. */
function askForLocks(change: ChangeRun, name: string, { message, ...failure }: Failure): Promise<boolean> {
  const body = [message, ...nextActions({ message, ...failure }), "What was approved stays approved."].join("\n");
  return askToGoOn(change, name, { code: failure.code, title: `cannot land yet: ${failure.code}`, body, step: "locks:land" });
}

interface Standstill {
  readonly code: string;
  readonly title: string;
  readonly body: string;
  readonly step?: string;
}

/** The change itself may be sound: a person says whether to look once more. False when they give it up, which ends it. */
async function askToGoOn(change: ChangeRun, name: string, { code, title, body, step = "standstill" }: Standstill): Promise<boolean> {
  const answer = await change.ctx.ask(`${step}:${name}`, {
    kind: "blocked",
    title: `${change.id} ${title}`,
    body,
    options: [
      { value: "retry", label: "look once more, and go on if it can land" },
      { value: "give_up", label: "end this feature; its work stays reachable" },
    ],
    schema: retryAnswer,
    context: { feature_id: change.id, code },
  });
  if (answer.decision === "retry") return true;
  await declined(change, name, { decision: "reject", comment: answer.comment ?? `given up by a person: it ${title}` });
  return false;
}

async function lost(change: ChangeRun, name: string, problem: string): Promise<LandingResult> {
  await sendBack(change, name, problem);
  return { status: "changes", comment: problem };
}

/** Not yet, and why: with the approval in hand it is tried again, unless that does not hold. */
type Merged = { readonly landing: Landing } | { readonly voided: boolean; readonly ungated: boolean; readonly why: string };

/** What may have changed between the approval and now is not a failure: it is looked at once more. */
async function merge(change: ChangeRun, name: string, approval: Approval): Promise<Merged> {
  const token = approval === null || approval === "not needed" ? {} : { user_approval_token: approval.token };
  const outcome = await perform(
    change,
    CHANGE_STEPS.merge.named(name),
    (call) => change.services.kernel.features.merge(call, { feature_id: change.id, ...token }),
    {
      // A base that moved against the change, and a policy that changed since the candidate was looked at, show in the next one.
      returned: ["base_moved", "lock_not_held", "user_approval_required", "gate_failed"],
      handles: ({ details }) => details["conflicts"] !== undefined,
      asksAlways: true,
    },
  );
  if (outcome.ok) return { landing: outcome.value };
  const { code, message } = outcome.failure;
  return { voided: code === "user_approval_required", ungated: code === "gate_failed", why: message };
}
