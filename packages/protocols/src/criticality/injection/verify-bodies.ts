import { SlipwayError } from "@slipway/agents/errors";
import type {
  CompileOracle,
  CompileResult,
  GeneratedTest,
  LanguageAdapter,
  ParsedSource,
  SourceTree,
  ToolRun,
} from "@slipway/languages/adapter";
import type { TestRun } from "@slipway/languages/typescript/test-run";
import { classify, type AttemptEvidence, type InjectionFailure } from "../escalation/failures.ts";
import type { LatticeFunction } from "../lattice/lattice.ts";
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
 * Checks bodies together: syntax, security and purity, compiler, then their unit tests. The first failure, or null. Nothing of `tree`
 * changes: a body that fails is not part of any tree.
 */
export async function verifyBodies(
  checks: BodyChecks,
  tree: SourceTree,
  written: readonly WrittenBody[],
  tests: readonly GeneratedTest[],
): Promise<InjectionFailure | null> {
  const { language } = checks;
  const injected = injectAll(language, tree, written);
  if (!(injected instanceof Map)) return classify(injected);
  const unsafe = classify(scanAll(language, injected, written));
  if (unsafe !== null) return unsafe;
  const uncompiled = classify({ compile: await compileAll(await checks.oracle(), language, injected) });
  if (uncompiled !== null || tests.length === 0) return uncompiled;
  const files = Object.fromEntries([...injected].map(([path, ast]) => [path, language.emitCode(ast)]));
  return classify(await runUnitTests(checks, { ...tree, ...files }, tests));
}

/** The parsed files with all bodies, or why one cannot be injected. */
function injectAll(
  language: LanguageAdapter,
  tree: SourceTree,
  written: readonly WrittenBody[],
): Map<string, ParsedSource> | AttemptEvidence {
  const files = new Map<string, ParsedSource>();
  for (const { target, body } of written) {
    const ast = files.get(target.path) ?? language.parseAst(tree[target.path] ?? "");
    try {
      files.set(target.path, language.injectBody(ast, target.name, body));
    } catch (error) {
      if (!(error instanceof SlipwayError) || !(error.code === "body_syntax" || error.code === "body_escapes")) throw error;
      return { syntax: { parseError: error.message, recoverable: error.code === "body_syntax" } };
    }
  }
  return files;
}

/** Rules of a scanner that break PURITY: pure, but are no weakness by themselves. */
const IMPURE = /^impure/;

function scanAll(language: LanguageAdapter, files: ReadonlyMap<string, ParsedSource>, written: readonly WrittenBody[]): AttemptEvidence {
  for (const { target } of written) {
    const ast = files.get(target.path);
    const findings = ast === undefined ? [] : language.scan(ast, target.name);
    const isPure = target.contract.clauses.some((clause) => clause.kind === "PURITY" && clause.purity === "pure");
    const impure = isPure ? findings.find(({ rule }) => IMPURE.test(rule)) : undefined;
    if (classify({ findings }) !== null) return { findings };
    if (impure !== undefined) return { violation: `PURITY: pure, but ${impure.message}` };
  }
  return {};
}

async function compileAll(
  oracle: CompileOracle,
  language: LanguageAdapter,
  files: ReadonlyMap<string, ParsedSource>,
): Promise<CompileResult> {
  for (const [path, ast] of files) {
    const result = await oracle.checkFile(path, language.emitCode(ast));
    if (!result.passed) return result;
  }
  return { passed: true, problems: [] };
}

async function runUnitTests(
  { language, folders, run }: BodyChecks,
  tree: SourceTree,
  tests: readonly GeneratedTest[],
): Promise<AttemptEvidence> {
  const texts = Object.fromEntries(tests.map(({ path, text }) => [path, text]));
  const ran = await folders.withTree({ ...tree, ...texts }, (folder) =>
    language.runTests(folder, { ...run, files: tests.map(({ path }) => path) }),
  );
  return testEvidence(ran, tests, run.timeoutMs ?? 0);
}

/** A run passes only if every generated test is in it: a body that ends the run early proves nothing. */
export function testEvidence(ran: TestRun, wanted: readonly GeneratedTest[], limit: number): AttemptEvidence {
  if (ran.broken !== null && TIME_LIMIT.test(ran.broken)) return { timeout: { resource: "time", limit } };
  const names = new Set(ran.tests.map(({ name }) => name));
  const seen = (test: string) => names.has(test) || [...names].some((name) => name.endsWith(`> ${test}`));
  const missing = wanted.flatMap(({ tests }) => tests).filter((test) => !seen(test));
  const broken = ran.broken ?? (missing.length === 0 ? null : `tests did not run: ${missing.join(", ")}`);
  return { tests: { ...ran, broken } };
}

const TIME_LIMIT = /\btime/i;
