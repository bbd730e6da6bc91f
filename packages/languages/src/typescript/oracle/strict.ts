import type { Expression } from "oxc-parser";
import type { SourceProblem, SourceTree } from "../../adapter.ts";
import { isFault, tryParse } from "../source/program.ts";

/** Parts of `strict` that a configuration can switch off again. */
const PARTS =
  "alwaysStrict noImplicitAny noImplicitThis strictBindCallApply strictBuiltinIteratorReturn strictFunctionTypes strictNullChecks strictPropertyInitialization useUnknownInCatchVariables".split(
    " ",
  );
const FILE = "tsconfig.json";

/** What keeps the tree's own configuration from being strict. Comments and trailing commas are allowed, `extends` is not followed. */
export function strictProblems(tree: SourceTree): SourceProblem[] {
  const text = tree[FILE];
  if (text === undefined) return [problem(`The tree has no ${FILE}. It needs one with "strict": true in compilerOptions.`)];
  const options = propertyOf(valueOf(text), "compilerOptions");
  if (!isLiteral(propertyOf(options, "strict"), true)) return [problem(`${FILE} has no "strict": true in compilerOptions.`)];
  const off = PARTS.filter((part) => isLiteral(propertyOf(options, part), false));
  return off.map((part) => problem(`${FILE} switches off ${part}, which is a part of strict.`));
}

function problem(message: string): SourceProblem {
  return { file: FILE, line: 1, column: 1, message };
}

/** Read as an expression, because TypeScript allows more in the file than JSON does. */
function valueOf(text: string): Expression | null {
  const tree = tryParse(`(${text.replace(/^\uFEFF/, "")}\n)`);
  const [statement, ...more] = isFault(tree) ? [] : tree.program.body;
  return statement?.type === "ExpressionStatement" && more.length === 0 ? statement.expression : null;
}

/** The last property of the name, as in JSON. */
function propertyOf(value: Expression | null, name: string): Expression | null {
  if (value?.type !== "ObjectExpression") return null;
  const found = value.properties.findLast((one) => one.type === "Property" && one.key.type === "Literal" && one.key.value === name);
  return found?.type === "Property" ? found.value : null;
}

function isLiteral(value: Expression | null, expected: boolean): boolean {
  return value?.type === "Literal" && value.value === expected;
}
