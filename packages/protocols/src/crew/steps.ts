import type { Reply } from "../dispatch/dispatcher.ts";
import { stepKind } from "../narration/step-kind.ts";
import type { CrewAnswer, CommandsRun } from "./dispatch/order.ts";
import type { CheckedDispatch } from "./dispatch/check.ts";
import type { Saved } from "./flow/save.ts";

/** The steps of a session, and of the child run of each dispatch. */
export const CREW_STEPS = {
  /** A transition, or another write of the session's files: its number and the state that it leaves on disk. */
  state: stepKind("crew-state:*:*").records<Saved>(),
  dispatch: stepKind("crew-dispatch:*:*").records<unknown>(),
  check: stepKind("crew-check:*").records<CheckedDispatch>(),
  agent: stepKind("crew-agent:*:*").records<Reply<CrewAnswer>>(),
  counts: stepKind("crew-counts:*").records<CommandsRun>(),
} as const;
