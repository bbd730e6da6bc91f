import type { ParsedSource } from "../adapter.ts";
import type { DetectedSmell } from "../analysis/smells.ts";
import { lineAt } from "./ast-nodes.ts";
import { functionSyntax, type FunctionSyntax } from "./function-node.ts";
import { controlFlowSmells } from "./smells/control-flow.ts";
import { deadWeightSmells } from "./smells/dead-weight.ts";
import { duplicationSmells } from "./smells/duplication.ts";
import { overDocumentation } from "./smells/clarity-debt.ts";
import { idiomSmells } from "./smells/idioms.ts";

/** A smell at a place in the text of the file. */
export interface SmellAt {
  readonly id: string;
  readonly at: number;
  readonly measured?: number;
  readonly detail: string;
}

export type SmellDetector = (found: FunctionSyntax) => readonly SmellAt[];

/** One list for each category of the catalog. */
const DETECTORS: readonly SmellDetector[] = [controlFlowSmells, duplicationSmells, idiomSmells, deadWeightSmells, overDocumentation];

/** Each smell once, at its first place, with the number of places in the detail. */
export function smellsOf(ast: ParsedSource, name: string): readonly DetectedSmell[] {
  const found = functionSyntax(ast, name);
  const smells = Map.groupBy(
    DETECTORS.flatMap((detect) => detect(found)),
    ({ id }) => id,
  );
  return [...smells].map(([id, places]) => {
    const [first] = places.toSorted((a, b) => a.at - b.at);
    const more = places.length > 1 ? ` (and ${places.length - 1} more)` : "";
    return {
      id,
      function: name,
      line: lineAt(ast.text, first?.at ?? 0),
      measured: first?.measured ?? null,
      detail: `${first?.detail ?? ""}${more}`,
    };
  });
}
