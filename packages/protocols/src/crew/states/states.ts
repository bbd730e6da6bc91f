import { z } from "zod";

export const CREW_STATES = [
  "INTAKE",
  "INTAKE_LEAN",
  "DESIGN",
  "APPROVE_DESIGN",
  "PLAN",
  "REVIEW_STRATEGY",
  "IMPLEMENT_LOOP",
  "INTEGRATE",
  "RELEASE",
  "DONE",
  "ASK_USER",
  "FIX_REVIEW",
  "FIX_TESTS",
  "FIX_SECURITY",
  "FIX_BUILD",
  "BLOCKED",
] as const;
export const crewStateSchema = z.enum(CREW_STATES);
export type CrewState = z.infer<typeof crewStateSchema>;

export const crewModeSchema = z.enum(["full", "lean"]);
export type CrewMode = z.infer<typeof crewModeSchema>;

export const MAIN_LINES: Readonly<Record<CrewMode, readonly CrewState[]>> = {
  full: ["INTAKE", "DESIGN", "APPROVE_DESIGN", "PLAN", "REVIEW_STRATEGY", "IMPLEMENT_LOOP", "INTEGRATE", "RELEASE", "DONE"],
  lean: ["INTAKE_LEAN", "IMPLEMENT_LOOP", "INTEGRATE", "DONE"],
};

export const LOOP_STATES = ["FIX_REVIEW", "FIX_TESTS", "FIX_SECURITY", "FIX_BUILD"] as const;
export type LoopState = (typeof LOOP_STATES)[number];

/** The gates that a person must pass. They are open as states of their own, never as ASK_USER. */
export const GATE_STATES = ["APPROVE_DESIGN", "REVIEW_STRATEGY"] as const;
export type GateState = (typeof GATE_STATES)[number];

export function isGate(state: CrewState): state is GateState {
  return (GATE_STATES as readonly CrewState[]).includes(state);
}

/** States in which a decision of a person may be pending. */
export const DECISION_STATES: readonly CrewState[] = ["ASK_USER", ...GATE_STATES];

/** States in which agents work; a question may interrupt them. */
export const WORKING_STATES: readonly CrewState[] = CREW_STATES.filter(
  (state) => !DECISION_STATES.includes(state) && state !== "DONE" && state !== "BLOCKED",
);

export function firstState(mode: CrewMode): CrewState {
  return mode === "full" ? "INTAKE" : "INTAKE_LEAN";
}
