import type { JournalEvent } from "@slipway/durable/chain";
import type { Failure } from "@slipway/durable/errors";
import { canaryText, type CanaryRecord } from "@slipway/kernel/change/judge/canary/record";
import type { GateSummary } from "@slipway/kernel/change/judge/gate";
import { eventLine } from "../narration/event-line.ts";
import type { Line } from "../narration/line.ts";
import { narrates, startedText, type NarratedStep, type StepLine } from "../narration/step-text.ts";
import type { OperationResult } from "./change-run.ts";
import { CHANGE_STEPS } from "./steps.ts";

export const CHANGE_NARRATION: readonly NarratedStep[] = [
  narrates(CHANGE_STEPS.init, {
    starts: "creating the worktree",
    ends: () => ({ text: "worktree and branch are ready", good: true }),
  }),
  narrates(CHANGE_STEPS.plan, {
    starts: "checking the plan",
    ends: (result) => collisionLine(result) ?? judged(result, "plan accepted", "plan refused"),
  }),
  narrates(CHANGE_STEPS.wait, { ends: (result) => (result.ok ? { text: result.value.reason, good: null } : null) }),
  narrates(CHANGE_STEPS.wake, {
    starts: "moving to the updated base",
    ends: () => ({ text: "resumed on the updated base", good: null }),
  }),
  narrates(CHANGE_STEPS.patch, {
    starts: "checking the patch",
    ends: (result) => judged(result, "patch applied, within the plan", "patch refused"),
  }),
  narrates(CHANGE_STEPS.gates, { starts: (mode) => `${mode} gates`, ends: gateLine }),
  narrates(CHANGE_STEPS.block, { ends: () => ({ text: "blocked: a person has to decide", good: false }) }),
  narrates(CHANGE_STEPS.ready, { ends: () => ({ text: "ready to merge", good: true }) }),
  narrates(CHANGE_STEPS.candidate, {
    starts: "preparing the merge",
    ends: (result) => (result.ok && result.value.rebuilt ? { text: "the base moved: rebuilt on top of it", good: null } : null),
  }),
  narrates(CHANGE_STEPS.merge, {
    starts: "merging",
    ends: (result) =>
      result.ok
        ? { text: `merged into ${result.value.base_branch} as ${result.value.commit.slice(0, 10)}`, good: true }
        : judged(result, "", "not merged"),
  }),
];

/** Events of a change as text. `rows` narrate the steps that a protocol adds to those of every change. */
export function narrateChange(event: JournalEvent, rows: readonly NarratedStep[] = []): Line | null {
  const feature = featureOf(event.stream);
  if (feature === null) return null;
  const line = eventLine([...rows, ...CHANGE_NARRATION], event);
  return line === null ? null : { feature, ...line };
}

/** The running step as text; its kind if the narration has no text for it. */
export function workText(step: string, rows: readonly NarratedStep[] = []): string {
  return startedText([...rows, ...CHANGE_NARRATION], step) ?? step.split(":")[0] ?? step;
}

function featureOf(stream: string): string | null {
  return /\/feature:([^/]+)/.exec(stream)?.[1] ?? null;
}

export function judged(result: OperationResult<unknown>, accepted: string, refused: string): StepLine {
  return result.ok ? { text: accepted, good: true } : { text: `${refused}: ${failureText(result.failure)}`, good: false };
}

const COLLISIONS: readonly string[] = ["collision_detected", "blocked_by_collision_policy"];

interface CollisionDetails {
  readonly conflicting_feature_ids?: readonly string[];
  readonly collisions?: readonly { readonly resource: string }[];
}

/** A collision is not a mistake in the plan: another feature holds what it needs. */
function collisionLine(result: OperationResult<unknown>): StepLine | null {
  if (result.ok || !COLLISIONS.includes(result.failure.code)) return null;
  const { conflicting_feature_ids: others, collisions = [] }: CollisionDetails = result.failure.details;
  const over = collisions.map(({ resource }) => resource).join(", ");
  return { text: `its plan collides with ${others?.join(", ") ?? "another feature's"}${over === "" ? "" : `: ${over}`}`, good: null };
}

/** A gate that ran has a summary; one that could not run has a failure. */
function gateLine(result: OperationResult<GateSummary>, mode: string): StepLine {
  if (!result.ok) return { text: `${mode} gates failed: ${failureText(result.failure)}`, good: false };
  const { passed, failure, tests, coverage, canary } = result.value;
  if (!passed) return { text: `${mode} gates failed: ${failure === null ? "no reason given" : failureText(failure)}`, good: false };
  const facts = [
    ...(tests === null ? [] : [`${tests.total} tests`]),
    ...(typeof coverage?.line === "number" ? [`${Math.round(coverage.line * 100)} % of lines`] : []),
  ].join(", ");
  const planted = canary == null ? "" : `; ${plantedText(mode, canary)}`;
  return { text: `${mode} gates passed${facts === "" ? "" : ` (${facts})`}${planted}`, good: true };
}

/** What was planted where is in the evidence. */
function plantedText(mode: string, canary: CanaryRecord): string {
  const { outcome, runs, ms } = canary;
  const cost = `${runs} additional ${runs === 1 ? "run" : "runs"}, ${Math.round(ms)} ms`;
  if (outcome === "proven") return `they fail with a planted failure, as they must (${cost})`;
  return `with a planted failure: ${canaryText(mode, canary)}`;
}

/** If only a person can fix it, the first thing they can do is part of the line. */
export function failureText({ message, details }: Failure): string {
  const { requires_human, suggested_next_actions: actions }: NextActions = details;
  const [next] = requires_human === true ? (actions ?? []) : [];
  return next === undefined ? message : `${message} Next: ${next}`;
}

interface NextActions {
  readonly requires_human?: boolean;
  readonly suggested_next_actions?: readonly string[];
}
