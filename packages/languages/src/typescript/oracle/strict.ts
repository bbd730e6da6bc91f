import type { SourceProblem, SourceTree } from "../../adapter.ts";
import { compilerOptionsOf } from "./compiler-options.ts";

/** Parts of `strict` that a configuration can switch off again. */
const PARTS =
  "alwaysStrict noImplicitAny noImplicitThis strictBindCallApply strictBuiltinIteratorReturn strictFunctionTypes strictNullChecks strictPropertyInitialization useUnknownInCatchVariables".split(
    " ",
  );
const FILE = "tsconfig.json";

/** What keeps the tree's own configuration from being strict. Comments, trailing commas and `extends` of files in the tree are allowed. */
export function strictProblems(tree: SourceTree): SourceProblem[] {
  if (tree[FILE] === undefined) return [problem(`The tree has no ${FILE}. It needs one with "strict": true in compilerOptions.`)];
  const options = compilerOptionsOf(tree);
  if (options?.["strict"] !== true) return [problem(`${FILE} has no "strict": true in compilerOptions.`)];
  const off = PARTS.filter((part) => options[part] === false);
  return off.map((part) => problem(`${FILE} switches off ${part}, which is a part of strict.`));
}

function problem(message: string): SourceProblem {
  return { file: FILE, line: 1, column: 1, message };
}
