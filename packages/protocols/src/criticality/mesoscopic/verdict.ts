import type { TestRun } from "@slipway/languages/typescript/test-run";
import type { ClaimTest } from "./synthesize-tests.ts";

/** Which claims are violated, and nothing about why. */
export type ClusterVerdict = ({ readonly type: "pass" } | { readonly type: "fail"; readonly violatedClaims: readonly string[] }) & {
  /** Claims whose tests skipped themselves. They are neither passed nor violated. */
  readonly undecidedClaims?: readonly string[];
};

export const UNDECIDED = "its test decided nothing: the times were too noisy, took too long, or its premises never held";

/** A test skips itself if it can tell nothing. Code under test can at most make its times useless, which passes nothing. */
export function isClaimUndecided({ test }: ClaimTest, { tests, skipped, broken }: TestRun): boolean {
  return broken === null && tests.length === 0 && skipped.length > 0 && skipped.length === test.tests.length;
}

/** A claim holds if all its tests ran and passed. A run that broke, or left a test out, counts as a violation. */
export function isClaimUpheld({ test }: ClaimTest, { tests, skipped, broken }: TestRun): boolean {
  if (broken !== null || skipped.length > 0 || tests.some(({ result }) => result === "FAIL")) return false;
  return test.tests.every((name) => tests.some((ran) => ran.name === name || ran.name.endsWith(` > ${name}`)));
}

export function clusterVerdict(results: readonly { readonly tested: ClaimTest; readonly run: TestRun }[]): ClusterVerdict {
  const claimsOf = (some: typeof results) => [...new Set(some.map(({ tested }) => tested.claim))];
  const undecided = results.filter(({ tested, run }) => isClaimUndecided(tested, run));
  const violatedClaims = claimsOf(results.filter((one) => !undecided.includes(one) && !isClaimUpheld(one.tested, one.run)));
  const more = undecided.length === 0 ? {} : { undecidedClaims: claimsOf(undecided) };
  return violatedClaims.length === 0 ? { type: "pass", ...more } : { type: "fail", violatedClaims, ...more };
}
