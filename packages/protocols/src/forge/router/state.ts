import type { ForgeRole } from "../agents.ts";
import type { Risk } from "../schemas/enums.ts";

export const STEPS = ["0", "1", "1a", "2", "3", "3b", "4", "4a", "5", "6", "7", "8", "8b", "9"] as const;
export type Step = (typeof STEPS)[number];

export const APPROVAL_MODES = ["autonomous", "interactive"] as const;
export type ApprovalMode = (typeof APPROVAL_MODES)[number];

/** In memory only. A resumed run builds it again from its output files and the ledger. */
export interface ForgeState {
  readonly feature_slug: string;
  readonly approval_mode: ApprovalMode;
  readonly current_step: Step;
  /** From the plan's overall_risk_summary. */
  readonly overall_risk: Risk | null;
  readonly reviewer_count: 3;
  readonly run_id: string;
  readonly completed_steps: readonly { readonly step: string; readonly outputs: readonly string[] }[];
  readonly error_log: readonly { readonly step: string; readonly agent: ForgeRole; readonly error: string; readonly retried: boolean }[];
}

export interface RouteState extends ForgeState {
  readonly counters: {
    /** Review rounds, from 1. */
    readonly design_round: number;
    readonly code_round: number;
    /** Implementation and verification of the current wave, or of review fixes, from 1. */
    readonly iteration: number;
  };
}

export function initialState(facts: Pick<ForgeState, "feature_slug" | "approval_mode" | "run_id">): RouteState {
  return {
    feature_slug: facts.feature_slug,
    approval_mode: facts.approval_mode,
    current_step: "0",
    overall_risk: null,
    reviewer_count: 3,
    run_id: facts.run_id,
    completed_steps: [],
    error_log: [],
    counters: { design_round: 1, code_round: 1, iteration: 1 },
  };
}
