import { SlipwayError } from "@slipway/agents/errors";
import { CREW_STATES, LOOP_STATES, MAIN_LINES, WORKING_STATES, type CrewMode, type CrewState } from "./states.ts";

/** Why a state is left for another. */
export const MOVE_REASONS = {
  main_line: "the state's work is done",
  repair: "a verdict was negative",
  repaired: "the repair was dispatched and is verified next",
  question: "a person has to decide",
  answered: "every decision is resolved",
  gate_reopened: "the stored decision of the gate no longer holds",
  larger_task: "the lean task is larger than it seemed",
  blocked: "the session cannot go on",
  resumed: "a person resumed the blocked session",
} as const;
export type MoveReason = keyof typeof MOVE_REASONS;

export interface Move {
  readonly from: CrewState;
  readonly to: CrewState;
  readonly modes: readonly CrewMode[];
  readonly reason: MoveReason;
}

const BOTH: readonly CrewMode[] = ["full", "lean"];
const FULL: readonly CrewMode[] = ["full"];
const LEAN: readonly CrewMode[] = ["lean"];

const row = (from: CrewState, to: CrewState, modes: readonly CrewMode[], reason: MoveReason): Move => ({ from, to, modes, reason });

function mainLine(mode: CrewMode): Move[] {
  const line = MAIN_LINES[mode];
  return line.slice(1).map((to, index) => row(line[index] as CrewState, to, [mode], "main_line"));
}

/** FIX_BUILD repairs what INTEGRATE and RELEASE find; the others repair what the reviews find. */
const REVIEW_LOOPS = LOOP_STATES.filter((state) => state !== "FIX_BUILD");

/** A dispatch of Planner or a later role reads UD-APPROVE-DESIGN; one of Reviewer, QA or Security reads UD-REVIEW-STRATEGY. */
const AFTER_APPROVAL: readonly CrewState[] = ["PLAN", "REVIEW_STRATEGY", "IMPLEMENT_LOOP", "INTEGRATE", "RELEASE", ...LOOP_STATES];
const AFTER_STRATEGY: readonly CrewState[] = ["IMPLEMENT_LOOP", "INTEGRATE", "RELEASE", ...LOOP_STATES];

/** States that only one mode has; the others occur in both. */
function modesWith(state: CrewState): readonly CrewMode[] {
  if (state === "INTAKE_LEAN") return LEAN;
  return MAIN_LINES.lean.includes(state) || !MAIN_LINES.full.includes(state) ? BOTH : FULL;
}

/** Every move. One into ASK_USER or BLOCKED comes back along `answered` or `resumed`, only to the state it was entered from. */
export const MOVES: readonly Move[] = [
  ...mainLine("full"),
  ...mainLine("lean"),
  ...REVIEW_LOOPS.flatMap((loop) => [row("IMPLEMENT_LOOP", loop, BOTH, "repair"), row(loop, "IMPLEMENT_LOOP", BOTH, "repaired")]),
  row("INTEGRATE", "FIX_BUILD", BOTH, "repair"),
  row("RELEASE", "FIX_BUILD", FULL, "repair"),
  row("FIX_BUILD", "INTEGRATE", BOTH, "repaired"),
  ...WORKING_STATES.flatMap((state) => [
    row(state, "ASK_USER", modesWith(state), "question"),
    row("ASK_USER", state, modesWith(state), "answered"),
  ]),
  ...AFTER_APPROVAL.map((state) => row(state, "APPROVE_DESIGN", FULL, "gate_reopened")),
  ...AFTER_STRATEGY.map((state) => row(state, "REVIEW_STRATEGY", FULL, "gate_reopened")),
  row("IMPLEMENT_LOOP", "INTAKE", LEAN, "larger_task"),
  ...CREW_STATES.filter((state) => state !== "DONE" && state !== "BLOCKED").flatMap((state) => [
    row(state, "BLOCKED", modesWith(state), "blocked"),
    row("BLOCKED", state, modesWith(state), "resumed"),
  ]),
];

export interface MoveContext {
  /** Of the session while it is in `from`. */
  readonly mode: CrewMode;
  /** Where ASK_USER (its decisions' `state_context`) or BLOCKED (the run log) was entered from; null in other states. */
  readonly enteredFrom: CrewState | null;
}

const RETURNING: readonly MoveReason[] = ["answered", "resumed"];

/** The move from one state to another, or null if the table has none. */
export function findMove(from: CrewState, to: CrewState, { mode, enteredFrom }: MoveContext): Move | null {
  const found = MOVES.find((move) => move.from === from && move.to === to && move.modes.includes(mode));
  if (found === undefined) return null;
  return RETURNING.includes(found.reason) && enteredFrom !== to ? null : found;
}

export function assertMove(from: CrewState, to: CrewState, context: MoveContext): Move {
  const move = findMove(from, to, context);
  if (move !== null) return move;
  const back = context.enteredFrom === null ? "" : ` (entered from ${context.enteredFrom})`;
  const possible = movesFrom(from, context);
  throw new SlipwayError("invalid_status_transition", `current_state cannot go from ${from}${back} to ${to} in ${context.mode} mode.`, {
    field: "current_state",
    from,
    to,
    suggested_next_actions: [possible.length === 0 ? `${from} is final; start a new session.` : `From here: ${possible.join(", ")}.`],
  });
}

export function movesFrom(from: CrewState, context: MoveContext): CrewState[] {
  return CREW_STATES.filter((to) => findMove(from, to, context) !== null);
}
