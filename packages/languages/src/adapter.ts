import type { Sandbox } from "@slipway/kernel/host/sandbox/contract";
import type { ComplexityReading } from "./analysis/complexity.ts";
import type { DetectedSmell } from "./analysis/smells.ts";
import type { ScannerReport, ScannerRun, SecurityFinding } from "./analysis/security.ts";
import type { StructuredClaim } from "./property-tests/claim.ts";
import type { MicroContract } from "./micro-contracts/contract.ts";
import type { TestRun } from "./typescript/test-run.ts";
import type { GeneratedWitness, WitnessDefinition } from "./witnesses/definition.ts";

export const LANGUAGE_IDS = ["typescript", "python", "rust", "go", "java", "cpp"] as const;
export type LanguageId = (typeof LANGUAGE_IDS)[number];

/** Texts by their path in the project, with forward slashes. */
export type SourceTree = Readonly<Record<string, string>>;

/** A function or method as it is declared in one file. */
export interface SourceFunction {
  /** Unique in its file: `deposit`, or `Account.deposit` for a method. */
  readonly name: string;
  /** The declaration up to its body, on one line. */
  readonly signature: string;
  readonly parameters: readonly { readonly name: string; readonly type: string }[];
  readonly returns: string;
  /** Its documentation comment without the comment marks; null if it has none. */
  readonly doc: string | null;
  /** The line of the first line of `doc`, from 1; of the declaration if there is none. */
  readonly docLine: number;
  readonly line: number;
  readonly isExported: boolean;
  /** Whether its body is the hole marker and nothing else. */
  readonly isHole: boolean;
  /** UTF-16 offsets of the body in the text, with its braces where the language has them. */
  readonly body: { readonly start: number; readonly end: number };
  /** Names of the functions it calls, as written: `withdraw`, `account.withdraw`. */
  readonly calls: readonly string[];
}

/** A parsed file. */
export interface ParsedSource {
  readonly text: string;
  readonly functions: readonly SourceFunction[];
}

export interface SourceProblem {
  readonly file: string | null;
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** A program that an adapter needs and that is not installed. */
export interface MissingTool {
  readonly tool: string;
  /** What does not work without it. */
  readonly neededFor: string;
  readonly install: string;
  /** Work goes on without it, with weaker checks. */
  readonly isOptional?: boolean;
}

export interface CompileResult {
  readonly passed: boolean;
  readonly problems: readonly SourceProblem[];
  /** What was not checked, and why: the type checker is not installed. */
  readonly notes?: readonly string[];
}

export interface ToolRun {
  readonly sandbox: Sandbox;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

export interface TestSelection extends ToolRun {
  /** Test files to run, by path in the project; all of them by default. */
  readonly files?: readonly string[];
  /** Whether the result has the lines that the tests reach. Adapters that cannot measure them leave them out. */
  readonly coverage?: boolean;
}

/** Keeps a tree open in a compiler, so that the check after one edit is fast. Nothing of it is written to the project. */
export interface CompileOracle {
  /** Problems of the whole tree. */
  check(): Promise<CompileResult>;
  /** Problems after one file is replaced. The tree keeps the former text unless it is accepted. */
  checkFile(path: string, text: string): Promise<CompileResult>;
  accept(path: string, text: string): Promise<void>;
  close(): Promise<void>;
}

export interface GeneratedTest {
  readonly path: string;
  readonly text: string;
  /** Texts by path of other files that it needs; several tests may share them. */
  readonly support?: Readonly<Record<string, string>>;
  /** Names of the tests in it. */
  readonly tests: readonly string[];
  /** Clauses or claims that it cannot test, each with the reason. */
  readonly untested: readonly { readonly subject: string; readonly reason: string }[];
}

/** One target language. `docs/languages.md` says how to write one; `testing/adapter-suite.ts` is what each must pass. */
export interface LanguageAdapter {
  readonly id: LanguageId;
  readonly title: string;
  readonly support: "full" | "strong" | "basic";
  /** `.ts`, `.py`, … */
  readonly extension: string;
  /** The text of a body that has not been written yet. The compiler accepts it, and running it fails. */
  readonly hole: string;
  missingTools(): Promise<readonly MissingTool[]>;

  /** Throws `source_syntax` with line and column if the text does not parse. */
  parseAst(source: string): ParsedSource;
  /**
   * The file with one body replaced. `body` is the text between the braces, or an indented block. Throws `function_not_found`,
   * `body_syntax` (the body does not parse) or `body_escapes` (it closes the function and continues outside it).
   */
  injectBody(ast: ParsedSource, functionName: string, body: string): ParsedSource;
  emitCode(ast: ParsedSource): string;

  /** Problems that keep a skeleton from being one: a body with logic, an I/O statement at the top level. Not for `src/witnesses`. */
  latticeProblems(path: string, ast: ParsedSource): readonly SourceProblem[];
  /**
   * Definitions of the types that a function needs, and signatures with contracts of the functions that it may call (`PATH#NAME`), all
   * without bodies.
   */
  typeDefinitions(tree: SourceTree, path: string, functionName: string, depth: number, callable?: readonly string[]): string;

  compileCheck(sourcePath: string, run: ToolRun): Promise<CompileResult>;
  openOracle(tree: SourceTree, run: ToolRun): Promise<CompileOracle>;
  runTests(sourcePath: string, selection: TestSelection): Promise<TestRun>;

  generateWitness(definition: WitnessDefinition): GeneratedWitness;
  /** Tests of one function from its preconditions and postconditions. Null if no clause can be tested. */
  unitTest(tree: SourceTree, path: string, functionName: string, contract: MicroContract): GeneratedTest | null;
  claimTest(tree: SourceTree, claim: StructuredClaim): GeneratedTest;
  /**
   * A benchmark of the COMPLEXITY clause. Null without one; without tests if it cannot be measured. A failure says `expected BOUND, got
   * GROWTH`; a benchmark that is skipped could not judge the times.
   */
  complexityTest?(tree: SourceTree, path: string, functionName: string, contract: MicroContract): GeneratedTest | null;

  complexity(ast: ParsedSource, functionName: string): ComplexityReading;
  smells(ast: ParsedSource, functionName: string): readonly DetectedSmell[];
  /** Findings in one function, or in the whole file. */
  scan(ast: ParsedSource, functionName?: string): readonly SecurityFinding[];
  /** Runs the language's own scanners, as far as they are installed. */
  scanProject?(sourcePath: string, run: ScannerRun): Promise<ScannerReport>;
}
