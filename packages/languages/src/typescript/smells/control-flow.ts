import { codeLines, cyclomaticOf, nestingOf } from "../complexity.ts";
import type { SmellDetector } from "../smells.ts";

/** A function above one of these has the smell. */
export const CONTROL_FLOW_LIMITS = { nesting: 3, cyclomatic: 10, lines: 50 } as const;

export const controlFlowSmells: SmellDetector = (found) => {
  const at = found.body.start;
  const [nesting, cyclomatic, lines] = [nestingOf(found.body), cyclomaticOf(found.body), codeLines(found)];
  const { nesting: maxNesting, cyclomatic: maxCyclomatic, lines: maxLines } = CONTROL_FLOW_LIMITS;
  return [
    { id: "deep-nesting", at, measured: nesting, limit: maxNesting, detail: `statements are nested ${nesting} deep` },
    {
      id: "high-cyclomatic-complexity",
      at,
      measured: cyclomatic,
      limit: maxCyclomatic,
      detail: `there are ${cyclomatic} paths through it`,
    },
    { id: "long-function-body", at, measured: lines, limit: maxLines, detail: `the body has ${lines} lines` },
  ]
    .filter(({ measured, limit }) => measured > limit)
    .map(({ id, measured, detail }) => ({ id, at, measured, detail }));
};
