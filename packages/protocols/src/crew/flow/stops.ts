import type { GateState } from "../states/states.ts";

/** The session cannot go on; a person decides whether it is resumed. */
export class Blocked extends Error {
  readonly blocker: string;
  readonly recovery: string;
  /** The task that its own agent cannot do. */
  readonly taskId: string | null;
  /** Answers that no file holds, by decision. */
  readonly unsaved: Readonly<Record<string, string>>;

  constructor(
    blocker: string,
    detail: string,
    {
      recovery,
      taskId,
      unsaved,
    }: { readonly recovery?: string; readonly taskId?: string | null; readonly unsaved?: Readonly<Record<string, string>> } = {},
  ) {
    super(detail);
    this.blocker = blocker;
    this.recovery = recovery ?? "Remove the cause, then resume the session.";
    this.taskId = taskId ?? null;
    this.unsaved = unsaved ?? {};
  }
}

/** A stored decision does not hold any more: the session goes back to its gate. */
export class GateFailed extends Error {
  readonly gate: GateState;

  constructor(gate: GateState) {
    super(`the decision of ${gate} does not hold`);
    this.gate = gate;
  }
}

/** A person rejected the change: there is nothing to resume. */
export class Rejected extends Error {}
