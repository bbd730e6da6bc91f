import type { Failure } from "@slipway/durable/errors";
import type { Call } from "@slipway/kernel/record/operations/call";
import type { Candidate } from "@slipway/kernel/change/land/candidate";
import type { Landing } from "@slipway/kernel/change/land/merge";
import type { MergeStrategy } from "@slipway/kernel/host/git/merge";
import { nextActions } from "../dispatch/pauses.ts";
import { perform, mustPerform } from "./perform.ts";
import { askApproval } from "./ask-approval.ts";
import { askAboutConflict, decline, sendBack, type LandingResult } from "./decline.ts";
import { gateAll } from "./gate.ts";
import { holdPlanLocks } from "./locks.ts";
import { withProbe } from "./probe.ts";
import { retryAnswer } from "../dispatch/retry-answer.ts";
import type { ChangeRun } from "./change-run.ts";
import { CHANGE_STEPS, type CheckedCandidate } from "./steps.ts";
import { moveTo, ensureUnblocked } from "./unblock.ts";

/** After this many rounds in which the base or the change moved, a person is asked. */
const MAX_BASE_MOVES = 20;

/** Null before a person has approved; "not needed" if the policy requires no approval. */
type Approval = { readonly token: string } | "not needed" | null;

/** What the merge commit says instead of the plan's summary, and besides Slipway's own trailers, and what must hold before it. */
export interface CommitWords {
  readonly subject?: string;
  readonly trailers?: readonly string[];
  /** In order of preference; the first that the policy allows. */
  readonly strategies?: readonly MergeStrategy[];
  /** Throws if a record that decided for this merge was changed since. */
  readonly proven?: () => Promise<void>;
}

/**
 * Asks a person to approve the gated tree, then merges exactly that tree. Approved features land one at a time in the order of
 * their approvals, so each is rebuilt on the base and gated there only once.
 */
export async function land(change: ChangeRun, review: number, commit: CommitWords = {}): Promise<LandingResult> {
  const { features } = change.services.kernel;
  const required = change.services.kernel.configuration.policy.merge_policy.require_user_approval;
  let approval: Approval = required ? null : "not needed";
  let askedAgain: string | null = null;
  let stalled = "";
  for (let round = 1; ; round++) {
    const name = review === 1 ? String(round) : `${review}.${round}`;
    if (round % MAX_BASE_MOVES === 0 && !(await askToRetry(change, name, tooManyMoves(stalled)))) return { status: "rejected" };
    if (approval !== null) await change.ctx.until(`turn:land:${name}`, () => features.turnToLand(change.siblings, change.id));
    if (!(await stillReady(change, name))) return { status: "rejected" };
    const { holds, why, ...candidate } = await candidateFor(change, name, approval, commit);
    if (candidate.conflicts.length > 0) {
      const decided = await askAboutConflict(change, name, candidate);
      if (decided === "retry") continue;
      return decided;
    }
    if (candidate.empty) {
      if (!(await askToRetry(change, name, nothingToMerge(candidate)))) return { status: "rejected" };
      continue;
    }
    const gates = candidate.rebuilt || candidate.outdated;
    const passed = gates ? await gateAll(change, `rebuilt-${name}`) : { ok: true as const, value: candidate.tree };
    if (!passed.ok)
      return sendToBuild(
        change,
        name,
        `The gates fail on the ${candidate.rebuilt ? "moved base" : "current tree"}: ${passed.failure.message}`,
      );
    // A person adopted edits in the meantime, so the gates ran on another tree: prepare a new candidate.
    if (passed.value !== candidate.tree) continue;
    if (!holds) {
      const answer = await askApproval(
        change,
        name,
        await withProbe(change, name, candidate),
        why === null ? askedAgain : approvalVoid(why),
      );
      if (answer.decision === "changes" || answer.decision === "reject") return decline(change, name, answer);
      approval = answer.decision === "approve" ? { token: answer.token } : null;
      askedAgain = answer.decision === "again" ? `Asked again: ${answer.comment ?? "a person requested it"}.` : null;
      continue;
    }
    const contended = await holdPlanLocks(change, `locks:merge:${name}`);
    if (contended !== null) {
      if (!(await askForLocks(change, name, contended))) return { status: "rejected" };
      continue;
    }
    const merged = await merge(change, name, approval, commit);
    if ("landing" in merged) return { status: "merged", landing: merged.landing };
    // If the policy changed after the candidate was prepared, the next round runs the gates again. The second time, a person is asked.
    const again = merged.ungated && merged.why === stalled;
    stalled = merged.why;
    if (
      again &&
      !(await askToRetry(change, name, { code: "gate_failed", title: "has not passed the gates as it would merge", body: stalled }))
    )
      return { status: "rejected" };
    if (!merged.voided) continue;
    approval = null;
    askedAgain = merged.why;
  }
}

function tooManyMoves(why: string): Obstacle {
  const body = `The base or the change has moved ${MAX_BASE_MOVES} times while this feature waited to land.`;
  return { code: "base_moved", title: "cannot land: the base keeps moving", body: [body, why].join("\n").trim() };
}

/** The candidate, and whether the approval covers it. One step records both, because an approval can expire. */
function candidateFor(change: ChangeRun, name: string, approval: Approval, commit: CommitWords): Promise<CheckedCandidate> {
  const { features } = change.services.kernel;
  const prepare = async (call: Call): Promise<CheckedCandidate> => {
    const candidate = await features.candidate(call, { feature_id: change.id, ...wordsFor(change, commit) });
    if (approval === null || approval === "not needed") return { ...candidate, holds: approval !== null, why: null };
    const holding = await features.approvalHolding(approval.token, candidate);
    return { ...candidate, holds: holding.holds, why: holding.holds ? null : holding.why };
  };
  return mustPerform(change, CHANGE_STEPS.candidate.named(name), prepare, { asksAlways: true });
}

/** The same for the candidate, which a person approves, and for the merge. */
function wordsFor({ services }: ChangeRun, { subject, trailers, strategies = [] }: CommitWords) {
  const { allowed_strategies } = services.kernel.configuration.policy.merge_policy;
  const merge_strategy = strategies.find((one) => allowed_strategies.includes(one));
  return {
    ...(subject === undefined ? {} : { subject }),
    ...(trailers === undefined ? {} : { trailers: [...trailers] }),
    ...(merge_strategy === undefined ? {} : { merge_strategy }),
  };
}

function approvalVoid(why: string): string {
  return `Your last approval is no longer valid: ${why}.`;
}

function nothingToMerge({ base_branch }: Candidate): Obstacle {
  return {
    code: "nothing_to_merge",
    title: "has nothing left to merge",
    body: `${base_branch} already contains everything this feature changes.`,
  };
}

/** The kernel blocks a feature that loses a lock while it waits. It is ready again once it holds its locks again. */
async function stillReady(change: ChangeRun, name: string): Promise<boolean> {
  if (!(await ensureUnblocked(change, `land:${name}`, "qa"))) return false;
  const { status } = await change.ctx.step(`status:land:${name}`, () => change.services.kernel.features.standing(change.id));
  return (
    status === "ready_to_merge" || moveTo(change, CHANGE_STEPS.ready.named(`land:${name}`), "ready_to_merge", "every required gate passed")
  );
}

/** Another run holds a lock that the merge needs. The change itself is fine, so the approval stays and nothing is rebuilt. */
function askForLocks(change: ChangeRun, name: string, { message, ...failure }: Failure): Promise<boolean> {
  const body = [message, ...nextActions({ message, ...failure }), "The approval stays valid."].join("\n");
  return askToRetry(change, name, { code: failure.code, title: `cannot land yet: ${failure.code}`, body, step: "locks:land" });
}

/** Why the feature cannot land now; `title` continues a sentence that begins with the feature's id. */
interface Obstacle {
  readonly code: string;
  readonly title: string;
  readonly body: string;
  readonly step?: string;
}

/** Returns true if the person wants another try. If they give up, ends the feature and returns false. */
async function askToRetry(change: ChangeRun, name: string, { code, title, body, step = "standstill" }: Obstacle): Promise<boolean> {
  const answer = await change.ctx.ask(`${step}:${name}`, {
    kind: "blocked",
    title: `${change.id} ${title}`,
    body,
    options: [
      { value: "retry", label: "check again, and continue if it can land" },
      { value: "give_up", label: "end this feature; its work stays reachable" },
    ],
    schema: retryAnswer,
    context: { feature_id: change.id, code },
  });
  if (answer.decision === "retry") return true;
  await decline(change, name, { decision: "reject", comment: answer.comment ?? `given up by a person: it ${title}` });
  return false;
}

async function sendToBuild(change: ChangeRun, name: string, problem: string): Promise<LandingResult> {
  await sendBack(change, name, problem);
  return { status: "changes", comment: problem };
}

/** `voided`: the approval does not cover the merge. `ungated`: the gates have not passed as the policy requires. */
type Merged = { readonly landing: Landing } | { readonly voided: boolean; readonly ungated: boolean; readonly why: string };

async function merge(change: ChangeRun, name: string, approval: Approval, commit: CommitWords): Promise<Merged> {
  const token = approval === null || approval === "not needed" ? {} : { user_approval_token: approval.token };
  const outcome = await perform(
    change,
    CHANGE_STEPS.merge.named(name),
    async (call) => {
      await commit.proven?.();
      return change.services.kernel.features.merge(call, { feature_id: change.id, ...token, ...wordsFor(change, commit) });
    },
    {
      // The base or the policy may have changed since the candidate was prepared: no failure, the next round prepares a new one.
      returned: ["base_moved", "lock_not_held", "user_approval_required", "gate_failed"],
      handles: ({ details }) => details["conflicts"] !== undefined,
      asksAlways: true,
    },
  );
  if (outcome.ok) return { landing: outcome.value };
  const { code, message } = outcome.failure;
  return { voided: code === "user_approval_required", ungated: code === "gate_failed", why: message };
}
