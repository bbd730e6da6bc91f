import type { CompileResult, SourceTree } from "@slipway/languages/adapter";
import { joinLines, shareReached, type FunctionLines } from "@slipway/languages/analysis/coverage";
import { RISK, type RiskLevel, type TransformCheck } from "../catalog/risk.ts";

/** Which tests of the code run. */
export type VerificationScope =
  | { readonly type: "unit_tests"; readonly scope: "target_function"; readonly function: string }
  | { readonly type: "integration_tests"; readonly scope: "module"; readonly path: string }
  | { readonly type: "full_test_suite" };

export interface ScopeResult {
  readonly passed: boolean;
  /** How many tests ran. Without any, the next wider scope runs. */
  readonly ran: number;
  readonly detail: string;
  /** Lines that the tests reach; absent if the language's adapter cannot measure them. */
  readonly coverage?: readonly FunctionLines[];
}

/** Called inside a step: these must not use the run's ctx. */
export interface TransformVerifier {
  compile(tree: SourceTree, path: string, signal: AbortSignal): Promise<CompileResult>;
  tests(tree: SourceTree, scope: VerificationScope, signal: AbortSignal): Promise<ScopeResult>;
  /** The share of lines in functions that all tests reach, 0 to 1; null if it cannot be measured. */
  coverage?(tree: SourceTree, signal: AbortSignal): Promise<number | null>;
}

export interface VerifiedChange {
  readonly tree: SourceTree;
  readonly path: string;
  readonly function: string;
  readonly risk: RiskLevel;
  /** Names of functions that the change adds to the file. */
  readonly added: readonly string[];
  /** The share of lines of the changed functions that the tests must reach, if they judge the change. */
  readonly minCoverage: number;
}

export type TransformVerdict =
  { readonly passed: true } | { readonly passed: false; readonly check: TransformCheck; readonly detail: string };

const WIDER: readonly Exclude<TransformCheck, "compile">[] = ["unit_tests_target_function", "integration_tests_module", "full_test_suite"];

/**
 * Runs the checks of the risk in order. If no test of its scopes exists, or they reach too few lines, wider ones run: what tests have not
 * seen is not accepted.
 */
export async function verifyTransform(verify: TransformVerifier, change: VerifiedChange, signal: AbortSignal): Promise<TransformVerdict> {
  const { tree, path, risk, minCoverage } = change;
  const compiled = await verify.compile(tree, path, signal);
  if (!compiled.passed) return { passed: false, check: "compile", detail: compiled.problems.map(({ message }) => message).join("; ") };
  const required = RISK[risk].required.filter((check) => check !== "compile");
  const last = required.at(-1);
  if (last === undefined) return { passed: true };
  let ran = 0;
  let lines: FunctionLines[] | null = null;
  const share = () => (lines === null ? null : shareReached(changedLines(lines, change)));
  for (const check of [...required, ...WIDER.slice(WIDER.indexOf(last) + 1)]) {
    if (ran > 0 && (share() ?? 1) >= minCoverage && !required.includes(check)) break;
    const result = await verify.tests(tree, scopeOf(check, change), signal);
    if (!result.passed) return { passed: false, check, detail: result.detail };
    ran += result.ran;
    if (result.coverage !== undefined) lines = joinLines([lines ?? [], result.coverage]);
  }
  if (ran === 0) return { passed: false, check: last, detail: "there is no test" };
  const reached = share() ?? 1;
  return reached >= minCoverage
    ? { passed: true }
    : { passed: false, check: last, detail: `the tests reach ${percent(reached)} of its lines, and ${percent(minCoverage)} are needed` };
}

const percent = (share: number): string => `${Math.floor(share * 1000) / 10} %`;

function changedLines(lines: readonly FunctionLines[], { path, function: id, added }: VerifiedChange): FunctionLines[] {
  return lines.filter((one) => one.path === path && (id === `${path}#${one.name}` || added.includes(one.name)));
}

function scopeOf(check: Exclude<TransformCheck, "compile">, { path, function: id }: VerifiedChange): VerificationScope {
  if (check === "unit_tests_target_function") return { type: "unit_tests", scope: "target_function", function: id };
  return check === "integration_tests_module" ? { type: "integration_tests", scope: "module", path } : { type: "full_test_suite" };
}
