import type { CompileOracle, CompileResult, SourceProblem, SourceTree, ToolRun } from "../adapter.ts";
import { whyStopped, type ToolOutcome } from "./run-tool.ts";

const MOST = 200;
const LONGEST = 600;

/** `file:line:column: error: message`, as compilers print it; the column is optional. */
const DIAGNOSTIC = /^(?:\.\/)?([^\s:][^:\n]*):(\d+):(?:(\d+):)?\s*(?:(?:fatal )?error(?:\[\w+\])?:|vet:)?\s*(.+)$/;

export interface DiagnosticPattern {
  /** Lines to be read; by default those with `error:`. */
  readonly isError?: (line: string) => boolean;
}

/** Problems in the output of a compiler. A failure without one is a problem without a place. */
export function compileResult(
  outcome: ToolOutcome,
  what: string,
  { isError = (line) => /\berror\b/.test(line) }: DiagnosticPattern = {},
): CompileResult {
  const lines = `${outcome.stdout}\n${outcome.stderr}`.split("\n");
  const problems = lines.filter(isError).flatMap(problemIn);
  const stopped = whyStopped(outcome, what);
  const passed = stopped === null && outcome.exitCode === 0;
  if (passed) return { passed, problems: [] };
  const unplaced = stopped ?? (problems.length === 0 ? `${what} ended with ${outcome.exitCode}: ${lastLines(lines)}` : null);
  return { passed, problems: [...(unplaced === null ? [] : [withoutPlace(unplaced)]), ...problems.slice(0, MOST)] };
}

function problemIn(line: string): SourceProblem[] {
  const [, file, at, column, message] = DIAGNOSTIC.exec(line) ?? [];
  if (file === undefined || message === undefined) return [];
  return [{ file, line: Number(at), column: Number(column ?? 1), message: message.slice(0, LONGEST) }];
}

export function withoutPlace(message: string): SourceProblem {
  return { file: null, line: 1, column: 1, message: message.slice(0, LONGEST) };
}

export function lastLines(lines: readonly string[]): string {
  return lines
    .filter((line) => line.trim() !== "")
    .slice(-5)
    .join(" | ")
    .slice(-LONGEST);
}

/** An oracle of a language without an incremental compiler: each check compiles a copy of the tree. */
export function copyOracle(
  tree: SourceTree,
  run: ToolRun,
  compile: (source: SourceTree, run: ToolRun) => Promise<CompileResult>,
): CompileOracle {
  let accepted = tree;
  return {
    check: () => compile(accepted, run),
    checkFile: (path, text) => compile({ ...accepted, [path]: text }, run),
    accept(path, text) {
      accepted = { ...accepted, [path]: text };
      return Promise.resolve();
    },
    close: () => Promise.resolve(),
  };
}
