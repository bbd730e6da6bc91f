import type { SourceTree } from "../../adapter.ts";
import type { StructuredClaim } from "../../property-tests/claim.ts";
import { claimTest } from "../claim-test.ts";

/** Why no test is made of a claim; null if one is. */
export function claimProblem(tree: SourceTree, claim: StructuredClaim): string | null {
  return claimTest(tree, claim).untested[0]?.reason ?? null;
}
