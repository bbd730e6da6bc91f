import type { CriticalityRun } from "./criticality-run.ts";
import type { BlockReason } from "./machine/block.ts";
import type { Facts } from "./machine/facts.ts";
import { initialState, subStateName, type ActiveState, type BlockedState, type CriticalityState } from "./machine/states.ts";
import { notified, tick, type Tick } from "./machine/tick.ts";
import { PhaseLeft } from "./phases/phase-left.ts";
import { CRITICALITY_STEPS, type CheckpointLine } from "./steps.ts";
import type { TelemetryEvent } from "./telemetry/events.ts";
import type { StateChange } from "./telemetry/transition-events.ts";

/** What is told of a transition, if anything. */
export interface TransitionText {
  readonly text: string;
  readonly good: boolean | null;
}

/** Holds the state of a run. It changes by the transition table alone. */
export interface StateKeeper {
  current(): CriticalityState;
  /**
   * Takes the transition that the table has for these facts, and writes a checkpoint. A table without one is a bug. If what the
   * transition leaves behind cannot be archived, the run is blocked first, until a person has it archived again. If the phase is over
   * its time limit afterwards, the run is blocked until a person lets it go on.
   */
  advance(facts: Facts, told?: TransitionText): Promise<CriticalityState>;
  /** Blocks the run until a person lets it go on here. Throws `PhaseLeft` if their answer leads elsewhere. */
  interrupt(name: string, reason: BlockReason & { readonly message: string }): Promise<void>;
  /** Sends the notification of a block, which is about the question with this name, and marks the state if somebody was told. */
  notifyBlock(question: string): Promise<void>;
}

export type TakenTransition = Extract<Tick, { type: "continue" }>;

/** What follows from transitions besides the next state. */
export interface StateObserver {
  start(state: CriticalityState): Promise<void>;
  /** Archives what the transition leaves behind. A problem of the disk, in words, keeps the run from the transition. */
  leave(before: CriticalityState, transition: TakenTransition): Promise<string | null>;
  /** Facts of a completion that only the records know. */
  complete(facts: Facts, now: string): Facts;
  /** Reads what the transition adds to events.jsonl. Called inside its step. */
  events(change: StateChange): Promise<TelemetryEvent[]>;
  /** Remembers a transition: once, live or replayed. */
  note(change: StateChange, events: readonly TelemetryEvent[]): void;
  /** Writes what readers see. Called inside the step. */
  write(change: StateChange, step: string): Promise<void>;
  /** What is said if the phase has taken longer than it may; null otherwise. */
  overtime(): string | null;
  /** Tells people of a block and returns when; null if nobody is told. Called inside a step. */
  notify(blocked: BlockedState, question: string): Promise<string | null>;
  /** Remembers a block that people were told of. */
  noteNotified(state: CriticalityState, at: string): void;
  /** Waits until a person has answered the question of a block, and returns the option; throws if they end the run. */
  resolve(blocked: BlockedState, question: string): Promise<string>;
}

export async function openStateKeeper({ ctx, services }: CriticalityRun, observer: StateObserver): Promise<StateKeeper> {
  const { clock } = services.kernel;
  const now = () => new Date(clock.now()).toISOString();
  const startedAt = await ctx.step("started", async () => now());
  let state = initialState(startedAt);
  await observer.start(state);
  let count = 0;
  let interruptions = 0;

  async function take(facts: Facts, told?: TransitionText): Promise<CriticalityState> {
    const step = CRITICALITY_STEPS.checkpoint.named(++count);
    const before = state;
    const changeAt = (at: string): StateChange => {
      const known = observer.complete({ ...facts, now: at }, at);
      return { before, after: transitionFor(before, known).state, facts: known, at };
    };
    let ran = false;
    const body = async (): Promise<CheckpointLine> => {
      ran = true;
      const change = changeAt(now());
      const events = await observer.events(change);
      observer.note(change, events);
      await observer.write(change, step);
      return { now: change.at, at: subStateName(change.after), text: told?.text ?? null, good: told?.good ?? null, events };
    };
    const recorded = await ctx.step(step, body, { durability: "relaxed" });
    const change = changeAt(recorded.now);
    if (!ran) observer.note(change, recorded.events);
    state = change.after;
    return state;
  }

  async function notifyBlock(question: string): Promise<void> {
    if (state.type !== "blocked") return;
    const { data } = state;
    const at = await ctx.step(`notified:${question}`, () => observer.notify(data, question), { durability: "relaxed" });
    if (at === null) return;
    state = notified(data);
    observer.noteNotified(state, at);
  }

  /** Waits for a person; then the run stands where it was, with the same data. */
  async function blockAndResume({ phase }: ActiveState, name: string, reason: BlockReason & { readonly message: string }): Promise<void> {
    const next = { subState: `${phase.phase}.${phase.subState.type}`, data: phase.subState.data };
    const blocked = await take({ block: reason, blocks: interruptions++ }, { text: reason.message, good: false });
    const question = `block:${name}:${interruptions}`;
    await notifyBlock(question);
    const option = blocked.type === "blocked" ? await observer.resolve(blocked.data, question) : RETRY;
    await take({ humanResponse: option, ...(option === RETRY ? { next } : {}) });
    if (option !== RETRY) throw new PhaseLeft(reason.message);
  }

  return {
    current: () => state,
    notifyBlock,
    async interrupt(name, reason) {
      if (state.type === "active") await blockAndResume(state.data, name, reason);
    },
    async advance(facts, told) {
      while (state.type === "active") {
        const problem = await observer.leave(state, transitionFor(state, facts));
        if (problem === null) break;
        await blockAndResume(state.data, "archive", { type: "archive_failure", message: problem });
      }
      const taken = await take(facts, told);
      const overtime = observer.overtime();
      if (taken.type === "active" && overtime !== null)
        await blockAndResume(taken.data, "limit", { type: "provider_unavailable", message: overtime });
      return state;
    },
  };
}

const RETRY = "retry";

function transitionFor(state: CriticalityState, facts: Facts): TakenTransition {
  const next = tick(state, facts);
  if (next.type === "continue") return next;
  throw new TypeError(`The transition table has no row from ${subStateName(state)} for ${Object.keys(facts).join(", ")}.`);
}
