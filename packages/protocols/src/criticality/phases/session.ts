import type { CriticalityInput } from "../input.ts";
import type { CriticalityRun } from "../criticality-run.ts";
import type { StateKeeper } from "../state-keeper.ts";
import type { CodeTools } from "../workspace/code-tools.ts";
import type { Work } from "../work.ts";

/** What every phase works with. */
export interface PhaseSession {
  readonly run: CriticalityRun;
  readonly input: CriticalityInput;
  readonly keeper: StateKeeper;
  readonly tools: CodeTools;
  /** Tells readers what the work has become; written with the next checkpoint. */
  show(work: Work): void;
}

/** The work of one phase, until the state has left it. */
export type PhaseWork = (session: PhaseSession, work: Work) => Promise<Work>;
