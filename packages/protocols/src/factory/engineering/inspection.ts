import { deltaOf, deltaText, type DimensionDelta } from "@slipway/languages/contracts/delta";
import { fingerprintOf, mismatchMessage } from "@slipway/languages/contracts/fingerprint";
import type { ExecutionLog } from "@slipway/languages/contracts/evidence";
import type { ModuleReading } from "@slipway/languages/language";
import { hollowed } from "@slipway/languages/typescript/hollow";
import { importName } from "@slipway/languages/typescript/layout";
import { runTests, type TestRun } from "@slipway/languages/typescript/test-run";
import { fingerprintLocked, moduleRefOf, sourcesOf, type ModuleBrief } from "./brief.ts";
import { uncovered, unclaimedCriteria, type Coverage } from "./coverage.ts";
import { deliveredContract, EXAMPLES_FILE, type Deliverable } from "./deliverable.ts";
import { exampleProblems } from "./examples.ts";
import { executionLog } from "./execution-log.ts";
import type { EngineeringShop } from "./ports.ts";
import type { Criterion } from "./debate/rubric.ts";

/** Something the harness found out by itself: no opinion. */
export interface Finding {
  readonly criterion: Criterion;
  readonly invariant: string;
  readonly evidence: string;
  readonly required_change: string;
}

/** How far the code is from the contract that was locked. */
export interface Mismatch {
  readonly locked: string;
  readonly actual: string;
  readonly diff: readonly DimensionDelta[];
}

export interface Inspection {
  readonly findings: readonly Finding[];
  readonly mismatch: Mismatch | null;
  /** Names and results; nothing of the source. */
  readonly summary: readonly { readonly name: string; readonly result: "PASS" | "FAIL" }[];
  /** What was seen of the tests; never the evidence, which the ship step collects itself. */
  readonly log: ExecutionLog | null;
}

export interface Inspected {
  readonly files: Deliverable;
  readonly acceptance_checks: readonly string[];
  readonly coverage: Coverage;
}

/** Everything about a proposal that needs no judgement, before anybody judges it. */
export async function inspect(
  { language, kernel }: Pick<EngineeringShop, "language" | "kernel">,
  brief: ModuleBrief,
  proposed: Inspected,
  criteria: readonly string[],
  signal?: AbortSignal,
): Promise<Inspection> {
  const { files, acceptance_checks, coverage } = proposed;
  const sources = sourcesOf(brief, files);
  const reading = language.readModule(sources, brief.contract);
  const options = { sandbox: await kernel.sandbox(), declared: reading.tests, ...(signal === undefined ? {} : { signal }) };
  const startedAt = kernel.clock.now();
  const empty = { ...sources, files: hollowed(files, reading.exported) };
  const [run, hollow] = await Promise.all([runTests(sources, options), runTests(empty, options)]);
  const ran = run.tests.map(({ name }) => name);
  const mismatch = mismatchOf(brief, files, reading);
  const findings = [
    ...surfaceFindings(brief, files, reading, mismatch),
    ...runFindings(run, hollow),
    ...uncovered(brief.contract, coverage, ran).map(({ category, shown }) =>
      finding("R2", "test coverage", `no test for ${category}: ${shown}`, "Write a test for it and name it in coverage."),
    ),
    ...importFindings(brief, reading),
    ...unclaimedCriteria(criteria, acceptance_checks).map((criterion) =>
      finding(
        "R5",
        "acceptance criteria",
        `no acceptance check for: ${criterion}`,
        "Add a check that begins with the criterion and names what shows it.",
      ),
    ),
  ];
  return {
    findings,
    mismatch,
    summary: run.tests.map(({ name, result }) => ({ name, result })),
    log: executionLog(brief.contract, run, startedAt),
  };
}

function finding(criterion: Criterion, invariant: string, evidence: string, required_change: string): Finding {
  return { criterion, invariant, evidence, required_change };
}

/** The delivered contract must be the one that was locked, and the code must have the surface it describes. */
export function mismatchOf({ contract, fingerprint: locked }: ModuleBrief, files: Deliverable, reading: ModuleReading): Mismatch | null {
  const delivered = deliveredContract(files, contract);
  const written = delivered.ok ? delivered.contract : contract;
  const found = fingerprintOf(written) === locked ? reading.delivered : written;
  const actual = fingerprintOf(found);
  return actual === locked ? null : { locked, actual, diff: deltaOf(contract, found) };
}

function surfaceFindings({ contract }: ModuleBrief, files: Deliverable, reading: ModuleReading, mismatch: Mismatch | null): Finding[] {
  const delivered = deliveredContract(files, contract);
  return [
    ...(delivered.ok ? [] : [finding("R1", "delivered contract", delivered.problem, "Deliver contract.json as it was given.")]),
    ...(mismatch === null
      ? []
      : [
          finding(
            "R1",
            "interface fingerprint",
            [mismatchMessage(mismatch.locked, mismatch.actual), ...deltaText(mismatch.diff)].join("\n"),
            "Give the code the surface the contract describes, or raise an interface change for the dependency that is in the way.",
          ),
        ]),
    ...deltaText(deltaOf(contract, reading.delivered).filter(({ dimension }) => dimension === "error_surfaces")).map((difference) =>
      finding("R3", "error handling", difference, "Raise every declared error where it is due, and no other."),
    ),
    ...reading.problems.map((problem) => finding("R1", "the code compiles", problem, "Correct it.")),
    ...exampleProblems(files[EXAMPLES_FILE], contract).map((problem) => finding("R1", "examples.md", problem, "Complete examples.md.")),
  ];
}

function runFindings(run: TestRun, empty: TestRun): Finding[] {
  const passing = new Set(empty.tests.filter(({ result }) => result === "PASS").map(({ name }) => name));
  return [
    ...(run.broken === null ? [] : [finding("R2", "tests", run.broken, "Make the tests end by themselves.")]),
    ...(run.tests.length === 0 ? [finding("R2", "tests", "no test was run", "Write tests in tests/*.test.ts with node:test.")] : []),
    ...run.skipped.map((name) => finding("R2", "tests", `"${name}" is written down and not carried out`, "Write it, or leave it out.")),
    ...run.tests
      .filter(({ result }) => result === "FAIL")
      .map(({ name, error }) =>
        finding("R2", "tests", `"${name}" fails: ${error?.name}: ${error?.message}`, "Correct the code, or the test if it is wrong."),
      ),
    ...run.tests
      .filter(({ name, result }) => result === "PASS" && passing.has(name))
      .map(({ name }) => finding("R2", "tests", `"${name}" passes with nothing in the module`, "Let it check what the module does.")),
  ];
}

const TEST_IMPORTS = /^(?:node:[\w/]+|(?:\.\.\/)+implementation\/index\.ts|\.\.?\/(?!.*implementation\/).+)$/;

/** Tests look from outside; code uses what it declares and nothing else. */
function importFindings({ dependencies, contract }: ModuleBrief, reading: ModuleReading): Finding[] {
  const callable = new Set(dependencies.map(({ module_id }) => importName(module_id)));
  const isAllowed = (specifier: string) => /^node:|^\.\.?\//.test(specifier) || callable.has(specifier);
  const loose = dependencies.filter((dependency) => !fingerprintLocked(dependency));
  return [
    ...reading.imports
      .filter(({ file, specifier }) => file.startsWith("tests/") && !TEST_IMPORTS.test(specifier))
      .map(({ file, specifier }) =>
        finding("R2", "black-box tests", `${file} imports ${specifier}`, "Test through ../implementation/index.ts only."),
      ),
    ...reading.imports
      .filter(({ file, specifier }) => file.startsWith("implementation/") && (!isAllowed(specifier) || specifier.includes("tests/")))
      .map(({ file, specifier }) =>
        finding(
          "R4",
          "dependencies",
          `${file} imports ${specifier}`,
          `Use only ${[...callable].join(", ") || "Node itself"}; ${contract.module_id} declares nothing else.`,
        ),
      ),
    ...loose.map((dependency) =>
      finding(
        "R4",
        "dependencies",
        `${moduleRefOf(dependency)} is not at the fingerprint it was shipped with`,
        "Depend on a version that is.",
      ),
    ),
  ];
}
