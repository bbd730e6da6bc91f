import type { NextAction, InjectionTier } from "./attempts.ts";
import type { FailureType, InjectionFailure } from "./failures.ts";

export interface RetryLimits {
  readonly syntax_retry_limit: number;
  readonly type_retry_limit: number;
  readonly test_retry_limit: number;
}

/** `syntax` of the worker is split; in the other tiers it follows the rows of `type`. */
type RowFailure = Exclude<FailureType, "syntax" | "complexity"> | "syntax (recoverable)" | "syntax (fatal)";

/** One row: the failure of an attempt in a tier, numbered `from` to `to` in the tier, and what comes next. */
export interface EscalationRow {
  readonly requirement: string;
  readonly failure: RowFailure;
  readonly tier: InjectionTier;
  readonly from: number;
  readonly to: number;
  readonly action: NextAction;
}

const LAST = Number.MAX_SAFE_INTEGER;
const AGAIN: NextAction = { type: "retry", hint: "none" };
const WITH_SYNTAX: NextAction = { type: "retry", hint: "syntax" };
const WITH_TYPES: NextAction = { type: "retry", hint: "types" };
const TO_STRUCTURER: NextAction = { type: "escalate", from: "worker", to: "fallback1" };
const TO_ARCHITECT: NextAction = { type: "escalate", from: "fallback1", to: "fallback2" };
const SKIP_STRUCTURER: NextAction = { type: "escalate", from: "worker", to: "fallback2" };
const BREAK: NextAction = { type: "circuitBreak", humanReview: false };
const BREAK_AND_REVIEW: NextAction = { type: "circuitBreak", humanReview: true };
const SECURITY_REVIEW: NextAction = { type: "block", reason: "security_review" };
const TO_LATTICE: NextAction = { type: "returnToLattice" };

/** `[requirement, failure, tier, from, to, action]`. The limits bound the worker; the tiers above it have two attempts. */
export function escalationTable(limits: RetryLimits): readonly EscalationRow[] {
  const { syntax_retry_limit: syntax, type_retry_limit: type, test_retry_limit: test } = limits;
  const rows: readonly (readonly [string, RowFailure, InjectionTier, number, number, NextAction])[] = [
    ["CRI-107", "syntax (recoverable)", "worker", 1, syntax - 1, AGAIN],
    ["CRI-108", "syntax (recoverable)", "worker", syntax, syntax, WITH_SYNTAX],
    ["CRI-108", "syntax (recoverable)", "worker", syntax + 1, LAST, TO_STRUCTURER],
    ["CRI-109", "syntax (fatal)", "worker", 1, LAST, TO_STRUCTURER],
    ["CRI-110", "type", "worker", 1, type - 1, WITH_TYPES],
    ["CRI-111", "type", "worker", type, LAST, TO_STRUCTURER],
    ["CRI-112", "type", "fallback1", 1, 1, AGAIN],
    ["CRI-112", "type", "fallback1", 2, LAST, TO_ARCHITECT],
    ["CRI-113", "type", "fallback2", 1, 1, AGAIN],
    ["CRI-113", "type", "fallback2", 2, LAST, BREAK],
    ["CRI-114", "test", "worker", 1, test - 1, AGAIN],
    ["CRI-115", "test", "worker", test, LAST, TO_STRUCTURER],
    ["CRI-116", "test", "fallback1", 1, 1, AGAIN],
    ["CRI-116", "test", "fallback1", 2, LAST, TO_ARCHITECT],
    ["CRI-117", "test", "fallback2", 1, 1, AGAIN],
    ["CRI-117", "test", "fallback2", 2, LAST, BREAK_AND_REVIEW],
    ["CRI-118", "timeout", "worker", 1, LAST, TO_STRUCTURER],
    ["CRI-118", "timeout", "fallback1", 1, LAST, TO_ARCHITECT],
    ["CRI-118", "timeout", "fallback2", 1, LAST, BREAK],
    ["CRI-119", "semantic", "worker", 1, LAST, TO_STRUCTURER],
    ["CRI-119", "semantic", "fallback1", 1, LAST, TO_ARCHITECT],
    ["CRI-119", "semantic", "fallback2", 1, LAST, BREAK_AND_REVIEW],
    ["CRI-120", "security", "worker", 1, LAST, SKIP_STRUCTURER],
    ["CRI-120", "security", "fallback1", 1, LAST, TO_ARCHITECT],
    ["CRI-120", "security", "fallback2", 1, LAST, SECURITY_REVIEW],
    ["CRI-121", "coherence", "worker", 1, LAST, TO_LATTICE],
    ["CRI-121", "coherence", "fallback1", 1, LAST, TO_LATTICE],
    ["CRI-121", "coherence", "fallback2", 1, LAST, TO_LATTICE],
  ];
  return rows.map(([requirement, failure, tier, from, to, action]) => ({ requirement, failure, tier, from, to, action }));
}

/** The name under which the table has a failure. */
export function rowFailure(failure: InjectionFailure, tier: InjectionTier): RowFailure {
  if (failure.type === "complexity") return "semantic";
  if (failure.type !== "syntax") return failure.type;
  if (tier !== "worker") return "type";
  return failure.recoverable ? "syntax (recoverable)" : "syntax (fatal)";
}
