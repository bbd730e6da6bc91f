import type { ModuleBrief } from "../brief.ts";
import type { Round } from "../context.ts";
import type { ModuleFailure } from "../halt.ts";
import type { InterfaceChange } from "../interface-change.ts";
import type { EngineeringSite } from "../site.ts";
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

/** Where a debate begins: with a proposal of its own, or with what a person has provided, which nobody revises. */
export interface DebateStart {
  readonly given: Proposed | null;
  readonly retryCount: number;
}

export interface Debate {
  readonly site: EngineeringSite;
  readonly brief: ModuleBrief;
  /** What the code index had for it. */
  readonly found: unknown;
  /** Rounds that are over. */
  readonly rounds: Round[];
  /** Witnesses that were right. */
  readonly upheld: Witness[];
}

/** Round after round until the module is shipped or its budget of revisions is used up; whatever fails draws on the same one. */
export async function debateModule(site: EngineeringSite, brief: ModuleBrief, found: unknown, start: DebateStart): Promise<ModuleOutcome> {
  const debate: Debate = { site, brief, found, rounds: [], upheld: [] };
  let revision: Revision = { files: {}, objections: null, follows: null };
  for (let round = 1, { retryCount } = start; ; round++, retryCount++) {
    const ended = await playRound(debate, { round, retryCount, revision, given: round === 1 ? start.given : null });
    if (ended.over !== null) return ended.over;
    revision = ended.revision;
  }
}
