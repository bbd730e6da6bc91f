import { SlipwayError } from "../../../schema/errors.ts";
import { toFailure, type Failure } from "@slipway/durable/errors";
import { addCounts, type CoverageCounts, type SeeLine, type TestCounts } from "./coverage.ts";
import { parseCobertura } from "./parse-cobertura.ts";
import { parseJacoco } from "./parse-jacoco.ts";
import { addRanTests, addTests, parseJunit, type RanTests, type SkippedTests, type TestReport } from "./parse-junit.ts";
import { parseLcov } from "./parse-lcov.ts";
import type { PlannedGate } from "./precedence.ts";
import { malformedReport, readReport, writtenReports, type ReportPath } from "./reports.ts";
import { GATES_FILE } from "../../../config/gates.ts";
import { coverageFailure, judgeCoverage, unreadableCoverage, type CoverageResult } from "./thresholds.ts";

export interface Judgement {
  readonly failure: Failure | null;
  readonly coverage: CoverageResult | null;
  readonly tests: TestCounts | null;
  /** Null if no report names the tests. */
  readonly ran: RanTests | null;
  /** Empty if no report names the tests. */
  readonly skips: SkippedTests;
}

type Parser<T> = (chunks: AsyncIterable<string>, path: string) => Promise<T>;

const COVERAGE_PARSERS: Partial<Record<string, Parser<CoverageCounts>>> = {
  lcov: parseLcov,
  jacoco_xml: parseJacoco,
  cobertura_xml: parseCobertura,
};

/** Those that name lines and files. */
export const LINE_PARSERS: Partial<Record<string, (chunks: AsyncIterable<string>, path: string, see: SeeLine) => Promise<CoverageCounts>>> =
  {
    lcov: parseLcov,
    cobertura_xml: parseCobertura,
  };

export function reportPaths(gate: PlannedGate): ReportPath[] {
  return [testsReport(gate), coverageReport(gate)].filter((report) => report !== null);
}

/** Reports of the steps so far, by file. A later step replaces only files that it has written. */
export interface ReportedResult {
  readonly tests: ReadonlyMap<string, Read<TestReport>>;
  readonly coverage: ReadonlyMap<string, Read<CoverageCounts>>;
}

type Read<T> = { readonly parsed: T } | { readonly failure: Failure };

export const NOTHING_REPORTED: ReportedResult = { tests: new Map(), coverage: new Map() };

/** Reads the reports of one step. Call it after all processes of the step have ended. */
export async function readReports(root: string, gate: PlannedGate, before: ReportedResult): Promise<ReportedResult> {
  const parser = COVERAGE_PARSERS[gate.coverage?.type ?? "none"];
  const [tests, coverage] = [testsReport(gate), coverageReport(gate)];
  return {
    tests: tests === null ? before.tests : new Map([...before.tests, ...(await readAll(root, tests, parseJunit))]),
    coverage:
      coverage === null || parser === undefined
        ? before.coverage
        : new Map([...before.coverage, ...(await readAll(root, coverage, parser))]),
  };
}

/** After a failed step the reports are informational: the step's failure is the result. */
export function judgeReports(gate: PlannedGate, reported: ReportedResult, failed: Failure | null): Judgement {
  const { failure: testsFailed, counts: tests, ran, skips } = judgeTests(testsReport(gate), reported.tests);
  if (failed !== null) return { failure: failed, coverage: null, tests, ran, skips };
  if (testsFailed !== null) return { failure: testsFailed, coverage: null, tests, ran, skips };
  const { failure, result } = judgeCoverageReport(gate, reported.coverage);
  return { failure, coverage: result, tests, ran, skips };
}

/** A junit_xml under `coverage` also counts tests. */
export function testsReport({ tests, coverage }: PlannedGate): ReportPath | null {
  if (tests) return { path: tests.path, field: "parsers.tests.path" };
  return coverage?.type === "junit_xml" && coverage.path !== undefined ? { path: coverage.path, field: "parsers.coverage.path" } : null;
}

export function coverageReport({ coverage }: PlannedGate): ReportPath | null {
  const parsed = coverage && COVERAGE_PARSERS[coverage.type] !== undefined;
  return parsed && coverage.path !== undefined ? { path: coverage.path, field: "parsers.coverage.path" } : null;
}

function judgeTests(
  report: ReportPath | null,
  reads: ReportedResult["tests"],
): { readonly failure: Failure | null; readonly counts: TestCounts | null; readonly ran: RanTests | null; readonly skips: SkippedTests } {
  if (report === null) return { failure: null, counts: null, ran: null, skips: new Map() };
  const read = allParsed(reads);
  if ("failure" in read) return { failure: read.failure, counts: null, ran: null, skips: new Map() };
  const counts = read.parsed.map((one) => one.counts).reduce(addTests, { total: 0, passed: 0, failed: 0, skipped: 0 });
  const ran = read.parsed.map((one) => one.ran).reduce<RanTests>(addRanTests, new Map());
  const skips = new Map(read.parsed.flatMap((one) => [...one.skips]));
  return { failure: testsFailure(counts, report, read.parsed.length), counts, ran, skips };
}

function testsFailure(counts: TestCounts, { path, field }: ReportPath, reports: number): Failure | null {
  const details = { file: GATES_FILE, field, report: path, reports, tests: counts };
  if (counts.failed > 0) {
    const suggested_next_actions = ["Read the log of the step that ran the tests, and fix the failing tests."];
    const message = `${counts.failed} of ${counts.total} tests failed according to ${path}.`;
    return toFailure(new SlipwayError("gate_failed", message, { ...details, suggested_next_actions }));
  }
  if (counts.total > counts.skipped) return null;
  const why =
    reports === 0
      ? `no step wrote to ${path}`
      : counts.total === 0
        ? `${path} contains no test`
        : `all ${counts.total} tests in ${path} were skipped`;
  return toFailure(
    new SlipwayError("no_tests_ran", `The gate ran no test: ${why}.`, {
      ...details,
      suggested_next_actions: [`Check that a step writes this report in every run, and that ${field} in ${GATES_FILE} names it.`],
    }),
  );
}

function judgeCoverageReport(
  gate: PlannedGate,
  reads: ReportedResult["coverage"],
): { readonly failure: Failure | null; readonly result: CoverageResult | null } {
  const { minimums, targets } = gate;
  const report = coverageReport(gate);
  if (report === null) {
    if (minimums.line === undefined && minimums.branch === undefined) return { failure: null, result: null };
    const result = judgeCoverage({ lines: null, branches: null }, minimums, targets);
    return { failure: coverageFailure(result), result };
  }
  const read = allParsed(reads);
  if ("failure" in read) {
    const unreadable = unreadableCoverage(read.failure.message, minimums, targets);
    return { failure: read.failure.code === "gate_failed" ? unreadable.failure : read.failure, result: unreadable.result };
  }
  if (read.parsed.length === 0) {
    const { failure, result } = unreadableCoverage(`No step wrote the coverage report ${report.path}.`, minimums, targets);
    return { failure, result };
  }
  const sum = (metric: "lines" | "branches") => read.parsed.map((counts) => counts[metric]).reduce(addCounts, null);
  const result = judgeCoverage({ lines: sum("lines"), branches: sum("branches") }, minimums, targets);
  return { failure: coverageFailure(result), result };
}

/** All parsed reports, or the first failure. */
function allParsed<T>(reads: ReadonlyMap<string, Read<T>>): { readonly parsed: readonly T[] } | { readonly failure: Failure } {
  const parsed: T[] = [];
  for (const read of reads.values()) {
    if ("failure" in read) return read;
    parsed.push(read.parsed);
  }
  return { parsed };
}

async function readAll<T>(root: string, report: ReportPath, parser: Parser<T>): Promise<Map<string, Read<T>>> {
  const reads = new Map<string, Read<T>>();
  let at = report.path;
  try {
    for (const path of writtenReports(root, report)) {
      at = path;
      reads.set(path, { parsed: await parser(readReport(root, path, report.field), path) });
    }
  } catch (error) {
    reads.set(at, { failure: toFailure(error instanceof SlipwayError ? error : malformedReport(at, String(error))) });
  }
  return reads;
}
