import type { DispatchedRole } from "../agents.ts";
import { docsProblems, designerProblems, integratorProblems, researcherProblems } from "./checks/artifact-roles.ts";
import { coderProblems } from "./checks/coder.ts";
import { commonProblems } from "./checks/common.ts";
import { qaProblems } from "./checks/qa.ts";
import { reviewerProblems, securityProblems } from "./checks/reviewer.ts";
import type { OutputFacts } from "./facts.ts";
import type { AgentOutput, OutputOf } from "./output.ts";

type Checks = { readonly [R in DispatchedRole]?: (output: OutputOf<R>, facts: OutputFacts) => string[] };

const CHECKS: Checks = {
  Coder: coderProblems,
  Reviewer: reviewerProblems,
  QA: qaProblems,
  Security: securityProblems,
  Designer: designerProblems,
  Researcher: researcherProblems,
  Integrator: integratorProblems,
  Docs: docsProblems,
};

/** What makes an output of the right form invalid. Empty if it can be taken. */
export function outputProblems<R extends DispatchedRole>(role: R, output: OutputOf<R>, facts: OutputFacts): string[] {
  const own: ((output: OutputOf<R>, facts: OutputFacts) => string[]) | undefined = CHECKS[role];
  return [...commonProblems(output as AgentOutput, facts), ...(own?.(output, facts) ?? [])];
}
