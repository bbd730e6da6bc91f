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
import { testFiles } from "@slipway/languages/property-tests/test-files";
import type { TestRun } from "@slipway/languages/typescript/test-run";
import { classify, type AttemptEvidence, type InjectionFailure } from "../escalation/failures.ts";
import type { LatticeFunction } from "../lattice/lattice.ts";
import type { ProjectFolders } from "../workspace/project-folders.ts";
import type { Turns } from "../workspace/turns.ts";

export interface WrittenBody {
  readonly target: LatticeFunction;
  readonly body: string;
}

export interface BodyChecks {
  readonly language: LanguageAdapter;
  readonly oracle: () => Promise<CompileOracle>;
  /** Called for a compiler that does not answer. */
  readonly dropOracle: () => void;
  readonly folders: ProjectFolders;
  readonly turns: Turns;
  /** Its time limit is for compiler and tests together. */
  readonly run: ToolRun & { readonly timeoutMs: number };
}

/**
 * Checks bodies together: syntax, security and purity, compiler, their unit tests, then benchmarks. The first failure, or null. Nothing of `tree`
 * changes: a body that fails is not part of any tree. One that exceeds its time is checked again while no other is: a busy machine is not
 * the body's fault.
 */
export async function verifyBodies(
  checks: BodyChecks,
  tree: SourceTree,
  written: readonly WrittenBody[],
  tests: readonly GeneratedTest[],
): Promise<InjectionFailure | null> {
  const check = () => checkBodies(checks, tree, written, tests);
  const failure = await checks.turns.beside(check);
  return failure?.type === "timeout" ? checks.turns.alone(check) : failure;
}

async function checkBodies(
  checks: BodyChecks,
  tree: SourceTree,
  written: readonly WrittenBody[],
  tests: readonly GeneratedTest[],
): Promise<InjectionFailure | null> {
  const { language, run } = checks;
  const deadline = performance.now() + run.timeoutMs;
  const injected = injectAll(language, tree, written);
  if (!(injected instanceof Map)) return classify(injected);
  const unsafe = classify(scanAll(language, injected, written));
  if (unsafe !== null) return unsafe;
  const uncompiled = classify(await compileInTime(checks, injected));
  if (uncompiled !== null) return uncompiled;
  const files = Object.fromEntries([...injected].map(([path, ast]) => [path, language.emitCode(ast)]));
  const filled = { ...tree, ...files };
  const inTime = (): BodyChecks => ({ ...checks, run: { ...run, timeoutMs: Math.max(1, deadline - performance.now()) } });
  const failed = tests.length === 0 ? null : classify(await runUnitTests(inTime(), filled, tests, run.timeoutMs));
  if (failed !== null) return failed;
  const benchmarks = written.flatMap(({ target: { path, name, contract } }) => language.complexityTest?.(tree, path, name, contract) ?? []);
  return classify(
    await measureGrowth(
      inTime(),
      filled,
      benchmarks.filter((one) => one.tests.length > 0),
    ),
  );
}

/** The parsed files with all bodies, or why one cannot be injected. */
function injectAll(
  language: LanguageAdapter,
  tree: SourceTree,
  written: readonly WrittenBody[],
): Map<string, ParsedSource> | AttemptEvidence {
  const files = new Map<string, ParsedSource>();
  for (const { target, body } of written) {
    const unwritable = unwritableText(body);
    if (unwritable !== null) return { syntax: { parseError: unwritable, recoverable: true } };
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

/** Of one body. The answer of a model is cut off before it is longer. */
export const MOST_BODY_CHARACTERS = 100_000;

/** Why a text cannot be part of a source file, even where a parser accepts it: the file must be text for git, and the same bytes on disk. */
function unwritableText(body: string): string | null {
  if (body.length > MOST_BODY_CHARACTERS) return `The body has ${body.length} characters; at most ${MOST_BODY_CHARACTERS} are allowed.`;
  if (body.includes("\0")) return "The body contains a NUL character; write it as an escape sequence.";
  if (body.includes("\uFEFF")) return "The body contains a byte-order mark; write it as an escape sequence.";
  return body.isWellFormed() ? null : "The body contains half of a surrogate pair; write it as an escape sequence.";
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

const LATE = Symbol("late");
const COMPILER_TIME = "time of the compiler in ms";

/** A compiler that crashed or did not answer has not accepted the body: the attempt fails, and the next one has another compiler. */
async function compileInTime(checks: BodyChecks, files: ReadonlyMap<string, ParsedSource>): Promise<AttemptEvidence> {
  const { language, oracle, dropOracle, run } = checks;
  const { timeoutMs, signal } = run;
  signal?.throwIfAborted();
  const { promise: late, resolve, reject } = Promise.withResolvers<typeof LATE>();
  const timer = setTimeout(() => resolve(LATE), timeoutMs);
  const abort = () => reject(signal?.reason as Error);
  signal?.addEventListener("abort", abort);
  const compiled = oracle().then((opened) => compileAll(opened, language, files));
  try {
    const compile = await Promise.race([compiled, late]);
    if (compile !== LATE) return { compile };
    dropOracle();
    return { timeout: { resource: COMPILER_TIME, limit: timeoutMs } };
  } catch (error) {
    if (!(error instanceof SlipwayError) || error.code !== "compiler_failed") throw error;
    const { timeout_ms: limit } = error.details;
    if (typeof limit === "number") return { timeout: { resource: COMPILER_TIME, limit } };
    return { compile: { passed: false, problems: [{ file: null, line: 1, column: 1, message: error.message }] } };
  } finally {
    // What a late compiler says is not waited for.
    compiled.catch(() => undefined);
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  }
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

/** As benchmarks of every adapter say it. */
const GROWTH = /^expected (O\(.*?\)), got (growth .*)$/s;

/** Times that are too noisy, and a benchmark that does not end, prove nothing: only a measured growth fails. */
async function measureGrowth(
  { language, folders, run }: BodyChecks,
  tree: SourceTree,
  tests: readonly GeneratedTest[],
): Promise<AttemptEvidence> {
  if (tests.length === 0) return {};
  const files = tests.map(({ path }) => path);
  const ran = await folders.withTree({ ...tree, ...testFiles(tests) }, (folder) => language.runTests(folder, { ...run, files }));
  const [, expected, measured] = ran.tests.map(({ error }) => GROWTH.exec(error?.message ?? "")).find((found) => found !== null) ?? [];
  return expected === undefined || measured === undefined ? {} : { complexity: { expected, measured, passed: false } };
}

async function runUnitTests(
  { language, folders, run }: BodyChecks,
  tree: SourceTree,
  tests: readonly GeneratedTest[],
  limit: number,
): Promise<AttemptEvidence> {
  const ran = await folders.withTree({ ...tree, ...testFiles(tests) }, (folder) =>
    language.runTests(folder, { ...run, files: tests.map(({ path }) => path) }),
  );
  return testEvidence(ran, tests, limit);
}

/**
 * A run passes only if every generated test is in it: a body that ends the run early proves nothing. A test that skips itself, because no
 * generated value is within its premises, speaks neither for nor against the body.
 */
export function testEvidence(ran: TestRun, wanted: readonly GeneratedTest[], limit: number): AttemptEvidence {
  if (ran.broken !== null && TIME_LIMIT.test(ran.broken)) return { timeout: { resource: "time of the tests in ms", limit } };
  const names = new Set([...ran.tests.map(({ name }) => name), ...ran.skipped]);
  const seen = (test: string) => names.has(test) || [...names].some((name) => name.endsWith(`> ${test}`));
  const missing = wanted.flatMap(({ tests }) => tests).filter((test) => !seen(test));
  const broken = ran.broken ?? (missing.length === 0 ? null : `tests did not run: ${missing.join(", ")}`);
  return { tests: { ...ran, broken } };
}

/** As every adapter says it. */
const TIME_LIMIT = /did not end in time/;
