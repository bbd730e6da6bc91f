import type { InjectionFailure } from "../escalation/failures.ts";
import type { AttemptRecord } from "../injection/inject-batch.ts";
import { injectedIds, type InjectionProgress } from "../injection/progress.ts";
import { attemptSchema, type InjectionAttempt } from "../escalation/attempts.ts";
import type { Facts } from "../machine/facts.ts";
import type { StructuralDefectReport } from "../escalation/breakers.ts";

export function functionFacts(progress: InjectionProgress, breaker: StructuralDefectReport | null = null): NonNullable<Facts["functions"]> {
  const done = injectedIds(progress);
  const open = progress.records.filter(({ id }) => !done.has(id));
  const remaining = open.filter(({ failed }) => !failed).map(({ id }) => id);
  const failed = progress.records.filter((record) => record.failed).map(({ id }) => id);
  return { remaining, completed: [...done], failed, holes: open.length, breaker };
}

/** Failures that are seen before the tests run. */
const BEFORE_TESTS: ReadonlySet<InjectionFailure["type"]> = new Set(["syntax", "type", "security", "semantic"]);

/** The transitions of one attempt, in order: written, compiled, tested, and what follows a failure. */
export function attemptFacts(attempt: AttemptRecord, next: AttemptRecord | null, progress: InjectionProgress): Facts[] {
  const { failure, action, digest } = attempt;
  const written: Facts = { implementation: digest };
  const compiled: Facts = { compile: "passed" };
  if (failure === null || action === null) return [written, compiled, { tests: "passed", functions: functionFacts(progress) }];
  const seen = BEFORE_TESTS.has(failure.type) ? [written] : [written, compiled];
  const result: Facts = BEFORE_TESTS.has(failure.type) ? { compile: "failed" } : { tests: "failed" };
  const following = next === null ? {} : { attempt: positionOf(next) };
  const escalated: Facts[] = action.type === "escalate" && next !== null ? [{ attempt: positionOf(next) }] : [];
  return [...seen, { ...result, failure: { failure, action }, ...(action.type === "retry" ? following : {}) }, ...escalated];
}

export function positionOf({ functionId, currentTier, attemptInTier, totalAttempts }: InjectionAttempt): InjectionAttempt {
  return attemptSchema.parse({ functionId, currentTier, attemptInTier, totalAttempts });
}
