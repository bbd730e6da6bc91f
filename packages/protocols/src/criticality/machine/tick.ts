import type { BlockReason, HumanQuery } from "./block.ts";
import { enter, isOwnPhase } from "./enter.ts";
import type { Facts } from "./facts.ts";
import { holds } from "./guards.ts";
import { isSubState, pendingOf, type Pending } from "./pending.ts";
import { blockReason } from "./reason.ts";
import { queryOf } from "./resolve-block.ts";
import { subStateName, type BlockedState, type ExtensionPhase, type FinalArtifacts, type MachineState, type PhaseState } from "./states.ts";
import { actionsOf, type StateRef, type Transition, type TransitionAction } from "./transition.ts";
import { firstSubState, TRANSITIONS } from "./transitions.ts";

type AnyState = MachineState<PhaseState | ExtensionPhase>;

export type Tick =
  | { readonly type: "done"; readonly artifacts: FinalArtifacts }
  /** The first tick of a block; later ones are `waiting`. */
  | { readonly type: "blocked"; readonly query: HumanQuery }
  | Pending
  | {
      readonly type: "continue";
      readonly state: MachineState;
      readonly transition: Transition;
      /** What to do before the next tick, in this order. Models, compiler and tests follow from the next tick. */
      readonly actions: readonly Exclude<TransitionAction, { type: "sequence" }>[];
    };

/** One decision: the first row of the table that matches, or what the run waits for. It reads no clock and no file, and never throws. */
export function tick(state: AnyState, facts: Facts, table: readonly Transition[] = TRANSITIONS): Tick {
  if (state.type === "completed") return { type: "done", artifacts: state.data.finalArtifacts };
  const phase = state.type === "active" && isOwnPhase(state.data.phase) ? state.data.phase : null;
  const found = table.find((row) => isFrom(row.from, state) && holds(row.guard, facts, phase) === true);
  if (found !== undefined) {
    return { type: "continue", state: stateAfter(state, found.to, facts), transition: found, actions: actionsOf(found.action) };
  }
  if (state.type === "blocked") return { type: state.data.notificationSent ? "waiting" : "blocked", query: state.data.query };
  return pendingOf(state.data.phase, table);
}

/** The blocked state after the person was told, which happens once. */
export function notified(data: BlockedState): MachineState {
  return { type: "blocked", data: { ...data, notificationSent: true } };
}

function isFrom(from: StateRef, state: Exclude<AnyState, { type: "completed" }>): boolean {
  if (from.level === "phase") return isSubState(from, subStateName(state));
  if (from.state === "blocked") return state.type === "blocked" && state.data.reason.type === from.reason;
  return from.state === state.type;
}

function stateAfter(state: Exclude<AnyState, { type: "completed" }>, to: StateRef, facts: Facts): MachineState {
  const before = state.type === "active" ? state.data.checkpointedAt : state.data.blockedAt;
  const now = facts.now ?? before;
  const startedAt = state.type === "active" ? state.data.startedAt : before;
  const active = (name: string, from: PhaseState | null): MachineState => ({
    type: "active",
    data: { phase: enter(name, facts, from, now), startedAt, checkpointedAt: now },
  });
  if (to.level === "phase") return active(`${to.phase}.${to.subState}`, phaseBefore(state));
  if (to.state === "completed") return { type: "completed", data: { ...completionOf(facts), completedAt: now } };
  if (to.state === "blocked") return blockedState(state, blockReason(to.reason, facts, phaseBefore(state)), facts, now);
  return active(resumedName(state, facts), null);
}

function phaseBefore(state: AnyState): PhaseState | null {
  return state.type === "active" && isOwnPhase(state.data.phase) ? state.data.phase : null;
}

/** The sub-state that was blocked if the facts have its data; otherwise the first one of its phase. */
function resumedName(state: AnyState, { next }: Facts): string {
  if (state.type !== "blocked") return subStateName(state);
  const { priorPhase, priorSubState } = state.data;
  const name = `${priorPhase}.${priorSubState}`;
  const own = { phase: priorPhase };
  return next?.subState === name || !isOwnPhase(own) ? name : `${priorPhase}.${firstSubState(own.phase)}`;
}

function blockedState(state: AnyState, reason: BlockReason, { blocks = 0 }: Facts, now: string): MachineState {
  const [priorPhase = "", priorSubState = ""] = subStateName(state).split(".");
  const query = queryOf(reason, blocks + 1);
  return { type: "blocked", data: { reason, query, priorPhase, priorSubState, blockedAt: now, notificationSent: false } };
}

const NOTHING = {
  finalArtifacts: { optimizedCode: "", testSuite: "", coverageReport: "" },
  summary: { cost: 0, durationMs: 0, escalations: 0, unmetTargets: [] },
};

/** The table asks for the artifact `finalArtifacts`; only an extension's row can complete a run without them. */
function completionOf({ completion = NOTHING }: Facts): typeof NOTHING & NonNullable<Facts["completion"]> {
  return completion as typeof NOTHING;
}
