import type { SourceProblem } from "../../adapter.ts";
import { isFault, positionAt, tryParse } from "../source/program.ts";

const DIRECTIVE = /@ts-(?:ignore|nocheck|expect-error)/;

/** Comments that hide errors from the compiler. Code that needs one has not passed. */
export function suppressions(path: string, text: string): SourceProblem[] {
  const tree = DIRECTIVE.test(text) ? tryParse(text) : null;
  if (tree === null || isFault(tree)) return [];
  return tree.comments.flatMap(({ value, start }) => {
    const directive = DIRECTIVE.exec(value)?.[0];
    return directive === undefined
      ? []
      : [{ file: path, ...positionAt(text, start), message: `${directive} hides errors from the compiler.` }];
  });
}
