import { z } from "zod";
import type { findingSchema } from "./check-results.ts";
import { isSource } from "../lattice/lattice.ts";
import type { CommittedCode } from "./committed-code.ts";

const count = z.int().min(0);

export const complexityReading = z.strictObject({
  name: z.string(),
  line: z.int(),
  is_hole: z.boolean(),
  cyclomatic: count,
  lines: count,
  nesting: count,
  within_targets: z.boolean(),
});

export interface FileComplexity {
  readonly passed: boolean;
  readonly targets: { readonly cyclomatic: number; readonly lines: number; readonly nesting: number };
  readonly functions: z.output<typeof complexityReading>[];
  readonly security: z.output<typeof findingSchema>[];
}

const SERIOUS: ReadonlySet<string> = new Set(["high", "critical"]);

/** Measures a file, or one function of it; null if it is no source file. Throws `source_syntax` or `function_not_found`. */
export function fileComplexity({ language, sources, config }: CommittedCode, path: string, only: string | null): FileComplexity | null {
  const text = sources[path];
  if (text === undefined || !isSource(path, language)) return null;
  const { max_cyclomatic_complexity, max_function_length_lines, max_nesting_depth } = config.mass_defect.targets;
  const targets = { cyclomatic: max_cyclomatic_complexity, lines: max_function_length_lines, nesting: max_nesting_depth };
  const ast = language.parseAst(text);
  const functions = ast.functions
    .filter(({ name }) => only === null || name === only)
    .map(({ name, line, isHole }) => {
      const { cyclomatic, lines, nesting } = language.complexity(ast, name);
      const within_targets = cyclomatic <= targets.cyclomatic && lines <= targets.lines && nesting <= targets.nesting;
      return { name, line, is_hole: isHole, cyclomatic, lines, nesting, within_targets };
    });
  const security = [...(only === null ? language.scan(ast) : language.scan(ast, only))];
  const passed = functions.every((one) => one.within_targets) && !security.some(({ severity }) => SERIOUS.has(severity));
  return { passed, targets, functions, security };
}
