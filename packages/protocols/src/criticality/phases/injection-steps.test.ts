import { describe, expect, test } from "vitest";
import type { InjectionFailure } from "../escalation/failures.ts";
import type { AttemptRecord } from "../injection/inject-batch.ts";
import type { InjectionProgress } from "../injection/progress.ts";
import { attemptFacts, functionFacts, positionOf } from "./injection-steps.ts";

const record = (id: string, failed = false) => ({ id, module: "m", escalated: false, failed, failureTypes: [] });
const PROGRESS: InjectionProgress = { tree: {}, bodies: { a: "" }, records: [record("a"), record("b"), record("c", true)], visit: 1 };

const attempt = (change: Partial<AttemptRecord> = {}): AttemptRecord => ({
  functionId: "b",
  currentTier: "worker",
  attemptInTier: 1,
  totalAttempts: 1,
  digest: "sha",
  failure: null,
  action: null,
  ...change,
});

describe("the facts of an attempt", () => {
  test("functions are completed, failed or remaining; holes are all that have no body", () => {
    expect(functionFacts(PROGRESS)).toEqual({ remaining: ["b"], completed: ["a"], failed: ["c"], holes: 2, breaker: null });
  });

  test("[CRI-056] an accepted one was written, compiled and tested", () => {
    expect(attemptFacts(attempt(), null, PROGRESS).map((facts) => Object.keys(facts)[0])).toEqual(["implementation", "compile", "tests"]);
  });

  test.each<[InjectionFailure, string[]]>([
    [{ type: "syntax", parseError: "", recoverable: true }, ["implementation", "compile"]],
    [{ type: "type", compilerError: "" }, ["implementation", "compile"]],
    [{ type: "security", vulnerability: "" }, ["implementation", "compile"]],
    [{ type: "test", failingTests: [] }, ["implementation", "compile", "tests"]],
    [{ type: "timeout", resource: "time", limit: 1 }, ["implementation", "compile", "tests"]],
  ])("[CRI-056] tests are skipped if it does not compile: %j", (failure, transitions) => {
    const facts = attemptFacts(attempt({ failure, action: { type: "circuitBreak", humanReview: false } }), null, PROGRESS);
    expect(facts.map((one) => Object.keys(one)[0])).toEqual(transitions);
    expect(facts.at(-1)).toMatchObject({ failure: { failure } });
  });

  test("a retry names the next attempt with the failure, an escalation after it", () => {
    const failure: InjectionFailure = { type: "test", failingTests: [] };
    const next = attempt({ totalAttempts: 2 });
    const retried = attemptFacts(attempt({ failure, action: { type: "retry", hint: "none" } }), next, PROGRESS);
    expect(retried.at(-1)).toMatchObject({ tests: "failed", attempt: positionOf(next) });
    const escalated = attemptFacts(attempt({ failure, action: { type: "escalate", from: "worker", to: "fallback1" } }), next, PROGRESS);
    expect(escalated.slice(-2).map((one) => "attempt" in one)).toEqual([false, true]);
  });

  test("the record of an attempt has its digest, and no code", () => {
    expect(JSON.stringify(attemptFacts(attempt({ digest: "sha" }), null, PROGRESS)[0])).toBe('{"implementation":"sha"}');
  });
});
