import { deltaOf, deltaText, type DimensionDelta } from "@slipway/languages/contracts/delta";
import { fingerprintOf, mismatchMessage } from "@slipway/languages/contracts/fingerprint";
import type { ExecutionLog } from "@slipway/languages/contracts/evidence";
import type { ModuleReading } from "@slipway/languages/language";
import { hollowed } from "@slipway/languages/typescript/hollow";
import { importName } from "@slipway/languages/typescript/layout";
import { runTests, type TestRun } from "@slipway/languages/typescript/test-run";
import { fingerprintLocked, moduleRefOf, sourcesOf, type ModuleBrief } from "./brief.ts";
import { uncovered, unshownCriteria, type Coverage } from "./coverage.ts";
import { deliveredContract, EXAMPLES_FILE, type Deliverable } from "./deliverable.ts";
import { exampleProblems } from "./examples.ts";
import { executionLog } from "./execution-log.ts";
import type { EngineeringServices } from "./ports.ts";
import type { RubricCriterion } from "./debate/rubric.ts";

/** A fact established by the harness. */
export interface InspectionFinding {
  readonly criterion: RubricCriterion;
  readonly invariant: string;
  readonly evidence: string;
  readonly required_change: string;
}

/** The difference between the code and the locked contract. */
export interface Mismatch {
  readonly locked: string;
  readonly actual: string;
  readonly diff: readonly DimensionDelta[];
}

export interface Inspection {
  readonly findings: readonly InspectionFinding[];
  readonly mismatch: Mismatch | null;
  /** Names and results only, no source. */
  readonly summary: readonly { readonly name: string; readonly result: "PASS" | "FAIL" }[];
  /** The observed test results. The ship step collects its own evidence and does not use these. */
  readonly log: ExecutionLog | null;
}

export interface Inspected {
  readonly files: Deliverable;
  readonly acceptance_checks: readonly string[];
  readonly coverage: Coverage;
}

/** Every check that needs no judgement; runs before the challenge. */
export async function inspect(
  { language, kernel }: Pick<EngineeringServices, "language" | "kernel">,
  brief: ModuleBrief,
  proposed: Inspected,
  criteria: readonly string[],
  signal?: AbortSignal,
): Promise<Inspection> {
  const { files, acceptance_checks, coverage } = proposed;
  const sources = sourcesOf(brief, files);
  const reading = await language.readModule(sources, brief.contract, signal);
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
    ...unshownCriteria(criteria, acceptance_checks, ran).map((criterion) =>
      finding(
        "R5",
        "acceptance criteria",
        `no acceptance check names a test for: ${criterion}`,
        "Add a check that begins with the criterion and ends with the name of a test that shows it.",
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

function finding(criterion: RubricCriterion, invariant: string, evidence: string, required_change: string): InspectionFinding {
  return { criterion, invariant, evidence, required_change };
}

/** The delivered contract must equal the locked one, and the code must have the surface it describes. */
export function mismatchOf({ contract, fingerprint: locked }: ModuleBrief, files: Deliverable, reading: ModuleReading): Mismatch | null {
  const delivered = deliveredContract(files, contract);
  const written = delivered.ok ? delivered.contract : contract;
  const found = fingerprintOf(written) === locked ? reading.delivered : written;
  const actual = fingerprintOf(found);
  return actual === locked ? null : { locked, actual, diff: deltaOf(contract, found) };
}

function surfaceFindings(
  { contract }: ModuleBrief,
  files: Deliverable,
  reading: ModuleReading,
  mismatch: Mismatch | null,
): InspectionFinding[] {
  const delivered = deliveredContract(files, contract);
  return [
    ...(delivered.ok ? [] : [finding("R1", "delivered contract", delivered.problem, "Deliver contract.json unchanged.")]),
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

function runFindings(run: TestRun, empty: TestRun): InspectionFinding[] {
  const passing = new Set(empty.tests.filter(({ result }) => result === "PASS").map(({ name }) => name));
  return [
    ...(run.broken === null ? [] : [finding("R2", "tests", run.broken, "Make the tests end by themselves.")]),
    ...(run.tests.length === 0 ? [finding("R2", "tests", "no test was run", "Write tests in tests/*.test.ts with node:test.")] : []),
    ...run.skipped.map((name) => finding("R2", "tests", `"${name}" is declared but not run`, "Write it, or leave it out.")),
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

/** Tests may import only the public surface, and code only its declared dependencies. */
function importFindings({ dependencies, contract }: ModuleBrief, reading: ModuleReading): InspectionFinding[] {
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
