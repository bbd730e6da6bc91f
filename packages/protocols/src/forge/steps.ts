import type { Reply } from "../dispatch/dispatcher.ts";
import { stepKind } from "../narration/step-kind.ts";
import type { Dispatched } from "./dispatch/dispatch.ts";
import type { Worked } from "./dispatch/contents.ts";
import type { RoleAnswer } from "./dispatch/assignment.ts";
import type { GateResultRow } from "./ledger/gates.ts";
import type { DispatchRow } from "./ledger/rows.ts";
import type { RouteDecision } from "./router/actions.ts";
import type { SetupFacts } from "./setup.ts";

/** A routing decision with what it decided on, in words. */
export interface RecordedRoute extends RouteDecision {
  readonly input: string;
}

/** The gates that decided, with the SQL that was executed. */
export interface RecordedGates {
  readonly of: string;
  readonly gates: readonly GateResultRow[];
}

export interface CascadeEnd {
  readonly task_id: string;
  readonly passed: number;
  readonly failed: number;
  /** Why Tier 3 was required and impossible. */
  readonly infeasible: string | null;
}

export interface BaselineEnd {
  readonly task_id: string;
  readonly checks: number;
  readonly failed_tests: Readonly<Record<string, number>>;
}

/** The steps of a change, and of the child run of each agent. */
export const FORGE_STEPS = {
  setup: stepKind("forge-setup").records<SetupFacts>(),
  route: stepKind("forge-route:*").records<RecordedRoute>(),
  gates: stepKind("forge-ledger:*").records<RecordedGates>(),
  cascade: stepKind("forge-cascade:*:*").records<CascadeEnd>(),
  baseline: stepKind("forge-baseline:*").records<BaselineEnd>(),
  revert: stepKind("forge-revert:*:*").records<{ readonly restored: readonly string[]; readonly deleted: readonly string[] }>(),
  note: stepKind("forge-note:*").records<string>(),
  bundle: stepKind("forge-bundle:*").records<{ readonly confidence: string }>(),
  dispatch: stepKind("forge-dispatch:*:*").records<Dispatched>(),
  begin: stepKind("begin").records<DispatchRow>(),
  agent: stepKind("forge-agent:*:*").records<Reply<Worked<RoleAnswer>>>(),
  output: stepKind("output").records<{ readonly outputs: string[]; readonly model: string | null; readonly diff: string | null }>(),
  end: stepKind("end").records<DispatchRow>(),
} as const;
