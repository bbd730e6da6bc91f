import type { CriticalityRun } from "./criticality-run.ts";
import type { Facts } from "./machine/facts.ts";
import { initialState, subStateName, type CriticalityState } from "./machine/states.ts";
import { tick } from "./machine/tick.ts";
import { CRITICALITY_STEPS } from "./steps.ts";

/** What is told of a transition, if anything. */
export interface TransitionText {
  readonly text: string;
  readonly good: boolean | null;
}

/** Holds the state of a run. It changes by the transition table alone. */
export interface StateKeeper {
  current(): CriticalityState;
  /** Takes the transition that the table has for these facts, and writes a checkpoint. A table without one is a bug. */
  advance(facts: Facts, told?: TransitionText): Promise<CriticalityState>;
}

/** Writes what readers see of a state. Called inside a step. */
export type WriteState = (state: CriticalityState, step: string) => Promise<void>;

export async function openStateKeeper({ ctx, services }: CriticalityRun, write: WriteState): Promise<StateKeeper> {
  const { clock } = services.kernel;
  const startedAt = await ctx.step("started", async () => new Date(clock.now()).toISOString());
  let state = initialState(startedAt);
  let count = 0;
  return {
    current: () => state,
    async advance(facts, told) {
      const step = CRITICALITY_STEPS.checkpoint.named(++count);
      const before = state;
      const { now } = await ctx.step(
        step,
        async () => {
          const moment = new Date(clock.now()).toISOString();
          const next = after(before, { ...facts, now: moment });
          await write(next, step);
          return { now: moment, at: subStateName(next), text: told?.text ?? null, good: told?.good ?? null };
        },
        { durability: "relaxed" },
      );
      state = after(before, { ...facts, now });
      return state;
    },
  };
}

function after(state: CriticalityState, facts: Facts): CriticalityState {
  const next = tick(state, facts);
  if (next.type === "continue") return next.state;
  throw new TypeError(`The transition table has no row from ${subStateName(state)} for ${Object.keys(facts).join(", ")}.`);
}
