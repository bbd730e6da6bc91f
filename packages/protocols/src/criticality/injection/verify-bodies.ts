import { SlipwayError } from "@slipway/agents/errors";
import type { CompileOracle, GeneratedTest, LanguageAdapter, ParsedSource, SourceTree, ToolRun } from "@slipway/languages/adapter";
import type { TestRun } from "@slipway/languages/typescript/test-run";
import type { InjectionFailure } from "../escalation/failures.ts";
import type { LatticeFunction } from "../lattice/lattice.ts";
import { problemLine } from "../lattice/generate.ts";
import type { ProjectFolders } from "../workspace/project-folders.ts";

export interface WrittenBody {
  readonly target: LatticeFunction;
  readonly body: string;
}

export interface BodyChecks {
  readonly language: LanguageAdapter;
  readonly oracle: () => Promise<CompileOracle>;
  readonly folders: ProjectFolders;
  readonly run: ToolRun;
}

/**
 * Checks bodies together: syntax, security, compiler, then their unit tests. The first failure, or null. Nothing of `tree` changes: a
 * body that fails is not part of any tree.
 */
export async function verifyBodies(
  { language, oracle, folders, run }: BodyChecks,
  tree: SourceTree,
  written: readonly WrittenBody[],
  tests: readonly GeneratedTest[],
): Promise<InjectionFailure | null> {
  const injected = injectAll(language, tree, written);
  if ("type" in injected) return injected;
  const insecure = findInsecure(language, injected, written);
  if (insecure !== null) return insecure;
  const uncompiled = await compileAll(await oracle(), language, injected);
  if (uncompiled !== null) return uncompiled;
  if (tests.length === 0) return null;
  const files = Object.fromEntries([...injected].map(([path, ast]) => [path, language.emitCode(ast)]));
  const texts = Object.fromEntries(tests.map(({ path, text }) => [path, text]));
  const ran = await folders.withTree({ ...tree, ...files, ...texts }, (folder) =>
    language.runTests(folder, { ...run, files: tests.map(({ path }) => path) }),
  );
  return testFailure(ran, tests, run.timeoutMs ?? 0);
}

/** The parsed files with all bodies, or why one cannot be injected. */
function injectAll(language: LanguageAdapter, tree: SourceTree, written: readonly WrittenBody[]): Map<string, ParsedSource> | InjectionFailure {
  const files = new Map<string, ParsedSource>();
  for (const { target, body } of written) {
    const ast = files.get(target.path) ?? language.parseAst(tree[target.path] ?? "");
    try {
      files.set(target.path, language.injectBody(ast, target.name, body));
    } catch (error) {
      if (!(error instanceof SlipwayError) || !(error.code === "body_syntax" || error.code === "body_escapes")) throw error;
      return { type: "syntax", parseError: error.message, recoverable: error.code === "body_syntax" };
    }
  }
  return files;
}

function findInsecure(language: LanguageAdapter, files: ReadonlyMap<string, ParsedSource>, written: readonly WrittenBody[]): InjectionFailure | null {
  for (const { target } of written) {
    const ast = files.get(target.path);
    const findings = ast === undefined ? [] : language.scan(ast, target.name);
    const grave = findings.find(({ severity }) => severity === "high" || severity === "critical");
    if (grave !== undefined) return { type: "security", vulnerability: `${grave.rule}: ${grave.message}` };
    const isPure = target.contract.clauses.some((clause) => clause.kind === "PURITY" && clause.purity === "pure");
    const impure = isPure ? findings.find(({ rule }) => rule.startsWith("impure")) : undefined;
    if (impure !== undefined) return { type: "semantic", violation: `PURITY: pure, but ${impure.message}` };
  }
  return null;
}

async function compileAll(oracle: CompileOracle, language: LanguageAdapter, files: ReadonlyMap<string, ParsedSource>): Promise<InjectionFailure | null> {
  for (const [path, ast] of files) {
    const { passed, problems } = await oracle.checkFile(path, language.emitCode(ast));
    if (!passed) return { type: "type", compilerError: problems.map(problemLine).join("\n") };
  }
  return null;
}

/** What the tests show: a passing run has every declared test in it. */
export function testFailure({ tests, broken, skipped }: TestRun, wanted: readonly GeneratedTest[], limit: number): InjectionFailure | null {
  if (broken !== null) return /\btime|timeout\b/.test(broken) ? { type: "timeout", resource: "time", limit } : failed([{ test: "(run)", message: broken }]);
  const failing = tests.filter(({ result }) => result === "FAIL");
  if (failing.length > 0) return failed(failing.map(({ name, error }) => ({ test: name, message: error?.message ?? "failed" })));
  const ran = new Set(tests.map(({ name }) => name));
  const missing = wanted.flatMap((file) => file.tests).filter((name) => !ran.has(name) && ![...ran].some((one) => one.endsWith(`> ${name}`)));
  return missing.length === 0 && skipped.length === 0 ? null : failed([...missing, ...skipped].map((test) => ({ test, message: "it did not run" })));
}

function failed(failingTests: readonly { readonly test: string; readonly message: string }[]): InjectionFailure {
  return { type: "test", failingTests: [...failingTests] };
}
