import type { SpentLine } from "../../../budget/rules.ts";

/**
 * The data of `status`, `watch` and the board of a run. The kernel reads the same rows for report.dashboard. Plain SQL and few imports:
 * with a read-only connection the command must start as fast as a bare Node, and must work while a run is live.
 */
export interface FeatureBoard {
  readonly repository: string;
  readonly features: readonly BoardFeature[];
  readonly runs: readonly BoardRun[];
  readonly questions: readonly BoardQuestion[];
  readonly locks: readonly BoardLock[];
  /** Of runs that are not over. */
  readonly budgets: readonly BoardBudget[];
  /** Messages that did not arrive, while no later one to the same receiver did. Newest first. */
  readonly notifications: readonly BoardNotification[];
}

export interface BoardNotification {
  readonly event: string;
  /** The receiver's host. */
  readonly channel: string;
  readonly reason: string;
  readonly at: number;
}

/** Facts from the rows of a feature. */
export interface FeatureFacts {
  readonly id: string;
  /** A status of the kernel's, or `waiting` for a feature of a live run that has not been started. */
  readonly status: string;
  readonly reason: string;
  readonly run: string;
  readonly gates: Readonly<Record<string, string>>;
  /** The newest result; `current` if it was on the current tree. */
  readonly last_gate: { readonly mode: string; readonly passed: boolean; readonly current: boolean; readonly at: number } | null;
  readonly tree: string | null;
  readonly merged_as: string | null;
  readonly cost_usd: number;
  /** Held, and not expired. */
  readonly locks: readonly string[];
  readonly updated_at: number;
}

export interface BoardFeature extends FeatureFacts {
  /** The running agent call, gate or git operation. */
  readonly at_work: { readonly step: string; readonly since: number } | null;
  readonly waits_for: Wait | null;
}

/** What must happen before a feature continues. */
export type Wait =
  | { readonly for: "person"; readonly question: string; readonly number: number; readonly kind: string }
  | { readonly for: "feature"; readonly features: readonly string[]; readonly resources: readonly string[] }
  | { readonly for: "lock"; readonly resources: readonly string[]; readonly features: readonly string[] }
  /** A provider's limit with a known end, in milliseconds since the epoch. */
  | { readonly for: "limit"; readonly provider: string; readonly code: "rate_limited" | "quota_exhausted"; readonly until: number }
  | { readonly for: "slot" }
  /** Approved: it lands after those approved before it, when its run continues. */
  | { readonly for: "landing" };

/** One limit, and how far it is used up. */
export interface BoardBudget extends SpentLine {
  readonly run: string;
}

export interface BoardRun {
  readonly id: string;
  readonly protocol: string;
  readonly status: string;
  readonly created_at: number;
  readonly finished_at: number | null;
  readonly owner_pid: number | null;
}

export interface BoardQuestion {
  readonly id: string;
  /** As `slipway inbox` shows it: Q1, Q2, … in the order in which they were asked. */
  readonly number: number;
  readonly kind: string;
  readonly title: string;
  readonly feature: string | null;
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly asked_at: number;
}

/** One resource that was ever locked; `holder` is null while it is free. */
export interface BoardLock {
  readonly resource: string;
  readonly holder: string | null;
  readonly lease_id: string | null;
  readonly token: number;
  readonly expires_at: number | null;
}
