import type { GeneratedTest, SourceTree } from "../adapter.ts";
import type { StructuredClaim } from "../property-tests/claim.ts";
import { claimObstacle, claimTestOf, planClaim } from "../tree-sitter/claim-plan.ts";
import { flowTest } from "./claim-flow.ts";
import { stateTest } from "./class-invariant.ts";
import { PYTHON_STYLE, renderPython } from "./unit-test.ts";

/** From the executable part of a claim if it has one; otherwise about the class or the function that is its subject. */
export function pythonClaimTest(files: RegExp, tree: SourceTree, claim: StructuredClaim): GeneratedTest {
  const path = `tests/property/test_claim_${claim.id}.py`;
  const untested = (reason: string) => claimTestOf(claim, path, { reason }, () => null);
  const obstacle = claimObstacle("python", claim);
  if (obstacle !== null) return untested(obstacle);
  if (claim.test !== undefined) {
    const made = flowTest(tree, claim, claim.test, path);
    return typeof made === "string" ? untested(made) : made;
  }
  const ofClass = claim.type === "invariant" ? stateTest(tree, claim, path) : null;
  return (
    ofClass ??
    claimTestOf(claim, path, planClaim(PYTHON_STYLE, files, tree, claim), ({ plan, test }) => renderPython(tree, plan, path, [test]))
  );
}
