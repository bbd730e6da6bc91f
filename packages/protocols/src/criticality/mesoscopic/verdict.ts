import type { TestRun } from "@slipway/languages/typescript/test-run";
import type { ClaimTest } from "./synthesize-tests.ts";

/** Which claims are violated, and nothing about why. */
export type ClusterVerdict = { readonly type: "pass" } | { readonly type: "fail"; readonly violatedClaims: readonly string[] };

/** A claim holds if all its tests ran and passed. A run that broke, or left a test out, shows nothing and counts as a violation. */
export function isClaimUpheld({ test }: ClaimTest, { tests, skipped, broken }: TestRun): boolean {
  if (broken !== null || skipped.length > 0 || tests.some(({ result }) => result === "FAIL")) return false;
  return test.tests.every((name) => tests.some((ran) => ran.name === name || ran.name.endsWith(` > ${name}`)));
}

export function clusterVerdict(results: readonly { readonly tested: ClaimTest; readonly run: TestRun }[]): ClusterVerdict {
  const violatedClaims = [...new Set(results.filter(({ tested, run }) => !isClaimUpheld(tested, run)).map(({ tested }) => tested.claim))];
  return violatedClaims.length === 0 ? { type: "pass" } : { type: "fail", violatedClaims };
}
