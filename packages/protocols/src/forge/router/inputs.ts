import type { CompletionStatus, PlayedForgeRole } from "../agents.ts";
import type { TaskVerification } from "../rules/thresholds.ts";
import type { ConfidenceLevel, Risk, FindingSeverity } from "../schemas/enums.ts";

/** The last answer of one dispatched instance. */
export interface AgentOutcome {
  readonly role: PlayedForgeRole;
  readonly instance: string;
  /** Dispatches so far. */
  readonly attempts: number;
  /** Null: the completion block is missing, unreadable or invalid. */
  readonly status: CompletionStatus | null;
  /** Whether the failure would only repeat itself, as for a missing file or a denied permission. */
  readonly deterministic: boolean;
}

/** Counts of the ledger for the current round. */
export interface ReviewCounts {
  readonly submitted: number;
  readonly approvals: number;
  readonly blockers: number;
}

type Agents = { readonly agents: readonly AgentOutcome[] };

/** All that routing may know. */
export type RouteInput =
  | { readonly input: "setup"; readonly check: "git"; readonly dirty: boolean; readonly on_main: boolean; readonly trivial: boolean }
  | { readonly input: "setup"; readonly check: "pushback"; readonly concerns: readonly FindingSeverity[] }
  | ({ readonly input: "research" } & Agents)
  | ({ readonly input: "spec" } & Agents)
  | ({ readonly input: "design" } & Agents)
  | ({ readonly input: "design review" } & Agents & ReviewCounts)
  | ({ readonly input: "plan"; readonly overall_risk: Risk } & Agents)
  | ({ readonly input: "implementation"; readonly baselines_recorded: boolean; readonly staged: boolean } & Agents)
  | ({ readonly input: "verification"; readonly tasks: readonly TaskVerification[]; readonly more_waves: boolean } & Agents)
  | ({ readonly input: "code review" } & Agents & ReviewCounts)
  | ({ readonly input: "knowledge" } & Agents)
  | { readonly input: "confidence"; readonly confidence: ConfidenceLevel };

export type InputKind = RouteInput["input"];
export type InputOf<K extends InputKind> = Extract<RouteInput, { readonly input: K }>;
