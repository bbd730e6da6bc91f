import type { ModuleBrief } from "../brief.ts";
import type { Round } from "../context.ts";
import type { ModuleFailure } from "../halt.ts";
import type { InterfaceChange } from "../interface-change.ts";
import type { TaskRun } from "../task-run.ts";
import type { Shipped } from "../ship.ts";
import type { Proposed, Revision } from "./propose.ts";
import { playRound } from "./round.ts";
import type { Witness } from "./witness.ts";

export type ModuleOutcome =
  | { readonly status: "shipped"; readonly shipped: Shipped }
  | { readonly status: "failed"; readonly failure: ModuleFailure }
  | {
      readonly status: "plan_defect";
      readonly failure: ModuleFailure;
      readonly recommendation: "split task" | "revise plan" | "merge modules";
    }
  | { readonly status: "exception"; readonly raised: InterfaceChange; readonly exception_id: string; readonly rounds: readonly Round[] };

/** Starts with a proposal of the Proposer, or with a person's deliverable, which no role revises. */
export interface DebateStart {
  readonly given: Proposed | null;
  readonly retryCount: number;
}

export interface Debate {
  readonly run: TaskRun;
  readonly brief: ModuleBrief;
  /** Results of the code index for this module. */
  readonly found: unknown;
  /** Finished rounds. */
  readonly rounds: Round[];
  /** Witnesses whose objections were upheld. */
  readonly upheld: Witness[];
}

/** Plays rounds until the module ships or its revisions are used up. Failures of every kind share one budget. */
export async function debateModule(run: TaskRun, brief: ModuleBrief, found: unknown, start: DebateStart): Promise<ModuleOutcome> {
  const debate: Debate = { run, brief, found, rounds: [], upheld: [] };
  let revision: Revision = { files: {}, objections: null, follows: null };
  for (let round = 1, { retryCount } = start; ; round++, retryCount++) {
    const ended = await playRound(debate, { round, retryCount, revision, given: round === 1 ? start.given : null });
    if (ended.over !== null) return ended.over;
    revision = ended.revision;
  }
}
