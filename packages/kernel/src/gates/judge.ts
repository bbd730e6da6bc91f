import { relative } from "node:path";
import { SlipwayError, toFailure, type Failure } from "@slipway/durable/errors";
import { addCounts, type CoverageCounts, type TestCounts } from "./coverage.ts";
import { parseCobertura } from "./parse-cobertura.ts";
import { parseJacoco } from "./parse-jacoco.ts";
import { addTests, parseJunit } from "./parse-junit.ts";
import { parseLcov } from "./parse-lcov.ts";
import type { PlannedGate } from "./precedence.ts";
import { findReports, malformedReport, readReport, type ReportPath } from "./reports.ts";
import { GATES_FILE } from "./schema.ts";
import { coverageFailure, judgeCoverage, unreadableCoverage, type CoverageResult } from "./thresholds.ts";

export interface Judgement {
  readonly failure: Failure | null;
  readonly coverage: CoverageResult | null;
  readonly tests: TestCounts | null;
}

type Parser<T> = (chunks: AsyncIterable<string>, path: string) => Promise<T>;

const COVERAGE_PARSERS: Partial<Record<string, Parser<CoverageCounts>>> = {
  lcov: parseLcov,
  jacoco_xml: parseJacoco,
  cobertura_xml: parseCobertura,
};

export function reportPaths(gate: PlannedGate): ReportPath[] {
  return [testsReport(gate), coverageReport(gate)].filter((report) => report !== null);
}

/** Reads the reports of the run. After a failed step they only inform: the failure stands. */
export async function judgeReports(worktree: string, gate: PlannedGate, failed: Failure | null): Promise<Judgement> {
  const tests = await judgeTests(worktree, testsReport(gate));
  if (failed !== null) return { failure: failed, coverage: null, tests: tests.counts };
  if (tests.failure !== null) return { failure: tests.failure, coverage: null, tests: tests.counts };
  const { failure, result } = await judgeCoverageReport(worktree, gate);
  return { failure, coverage: result, tests: tests.counts };
}

/** A junit_xml in the place of the coverage parser counts tests as well. */
function testsReport({ tests, coverage }: PlannedGate): ReportPath | null {
  if (tests) return { path: tests.path, field: "parsers.tests.path" };
  return coverage?.type === "junit_xml" && coverage.path !== undefined ? { path: coverage.path, field: "parsers.coverage.path" } : null;
}

function coverageReport({ coverage }: PlannedGate): ReportPath | null {
  const parsed = coverage && COVERAGE_PARSERS[coverage.type] !== undefined;
  return parsed && coverage.path !== undefined ? { path: coverage.path, field: "parsers.coverage.path" } : null;
}

async function judgeTests(worktree: string, report: ReportPath | null): Promise<{ failure: Failure | null; counts: TestCounts | null }> {
  if (report === null) return { failure: null, counts: null };
  const read = await readAll(worktree, report, parseJunit);
  if ("failure" in read) return { failure: read.failure, counts: null };
  const counts = read.parsed.reduce(addTests, { total: 0, passed: 0, failed: 0, skipped: 0 });
  return { failure: testsFailure(counts, report, read.parsed.length), counts };
}

function testsFailure(counts: TestCounts, { path, field }: ReportPath, reports: number): Failure | null {
  const details = { file: GATES_FILE, field, report: path, tests: counts };
  if (counts.failed > 0) {
    const suggested_next_actions = ["Read the log of the step that ran the tests, and repair what failed."];
    const message = `${counts.failed} of ${counts.total} tests failed according to ${path}.`;
    return toFailure(new SlipwayError("gate_failed", message, { ...details, suggested_next_actions }));
  }
  if (counts.total > counts.skipped) return null;
  const why =
    reports === 0
      ? `no step wrote ${path}`
      : counts.total === 0
        ? `${path} holds no test`
        : `all ${counts.total} tests in ${path} were skipped`;
  return toFailure(
    new SlipwayError("no_tests_ran", `The gate ran no test: ${why}.`, {
      ...details,
      suggested_next_actions: [`Check that a step writes this report anew, and that ${field} in ${GATES_FILE} names it.`],
    }),
  );
}

async function judgeCoverageReport(
  worktree: string,
  gate: PlannedGate,
): Promise<{ failure: Failure | null; result: CoverageResult | null }> {
  const { minimums, targets } = gate;
  const report = coverageReport(gate);
  const parser = COVERAGE_PARSERS[gate.coverage?.type ?? "none"];
  if (report === null || parser === undefined) {
    if (minimums.line === undefined && minimums.branch === undefined) return { failure: null, result: null };
    const result = judgeCoverage({ lines: null, branches: null }, minimums, targets);
    return { failure: coverageFailure(result), result };
  }
  const read = await readAll(worktree, report, parser);
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

async function readAll<T>(worktree: string, report: ReportPath, parser: Parser<T>): Promise<{ parsed: T[] } | { failure: Failure }> {
  try {
    const parsed: T[] = [];
    for (const path of await findReports(worktree, report)) {
      parsed.push(await parser(readReport(worktree, path, report.field), relative(worktree, path)));
    }
    return { parsed };
  } catch (error) {
    return { failure: toFailure(error instanceof SlipwayError ? error : malformedReport(report.path, String(error))) };
  }
}
