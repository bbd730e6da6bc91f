import type { Redactor } from "../../../host/redaction/contract.ts";
import type { TestCounts } from "./coverage.ts";
import { malformedReport } from "./reports.ts";
import { readXml } from "./xml.ts";

const ROOTS = ["testsuites", "testsuite"];

export interface TestReport {
  readonly counts: TestCounts;
  readonly ran: RanTests;
  readonly skips: SkippedTests;
  /** Names of failed tests. */
  readonly failed: ReadonlySet<string>;
}

/** How often each test ran, by the name its runner gave it. Skipped tests are not counted. */
export type RanTests = ReadonlyMap<string, number>;

/** The reason of each skipped test by name; empty if the runner gives none. */
export type SkippedTests = ReadonlyMap<string, string>;

/** No test runner reports more names. */
const MOST_NAMES = 200_000;
const LONGEST_NAME = 4_096;

/** Counts the test cases themselves; the totals in the attributes are only the tool's claim. */
export async function parseJunit(chunks: AsyncIterable<string>, path: string): Promise<TestReport> {
  const counts = { total: 0, failed: 0, skipped: 0 };
  const ran = new Map<string, number>();
  const skips = new Map<string, string>();
  const failed = new Set<string>();
  let current: { name: string; failed: boolean; skipped: string | null } = { name: "", failed: false, skipped: null };
  await readXml(chunks, path, {
    open(name, attributes, names) {
      if (names.length === 1 && !ROOTS.includes(name)) throw malformedReport(path, `<${name}> is not the root of a JUnit report`);
      const parent = names.at(-2);
      if (name === "testcase") {
        counts.total++;
        current = { name: (attributes["name"] ?? "").slice(-LONGEST_NAME), failed: false, skipped: null };
      } else if (name === "failure" || name === "error") {
        if (parent === "testcase") current.failed = true;
        // A setup that failed outside any test case.
        else counts.failed++;
      } else if (name === "skipped" && parent === "testcase") current.skipped = (attributes["message"] ?? "").slice(0, LONGEST_NAME);
    },
    close(name) {
      if (name !== "testcase") return;
      if (current.failed) {
        counts.failed++;
        failed.add(current.name);
      } else if (current.skipped !== null) counts.skipped++;
      if (current.skipped === null) ran.set(current.name, (ran.get(current.name) ?? 0) + 1);
      else skips.set(current.name, current.skipped);
      if (ran.size + skips.size > MOST_NAMES) throw malformedReport(path, `it names more than ${MOST_NAMES} tests`);
    },
  });
  return { counts: { ...counts, passed: Math.max(0, counts.total - counts.failed - counts.skipped) }, ran, skips, failed };
}

export function addTests(left: TestCounts, right: TestCounts): TestCounts {
  return {
    total: left.total + right.total,
    passed: left.passed + right.passed,
    failed: left.failed + right.failed,
    skipped: left.skipped + right.skipped,
  };
}

export function addRanTests(left: RanTests, right: RanTests): RanTests {
  const sum = new Map(left);
  for (const [name, count] of right) sum.set(name, (sum.get(name) ?? 0) + count);
  return sum;
}

/** Names are stored and shown to agents and people, so they are redacted. */
export function withoutSecrets(ran: RanTests, redact: Pick<Redactor, "text">): RanTests {
  const safe = new Map<string, number>();
  for (const [name, count] of ran) {
    const redacted = redact.text(name);
    safe.set(redacted, (safe.get(redacted) ?? 0) + count);
  }
  return safe;
}

export function reasonsWithoutSecrets(skips: SkippedTests, redact: Pick<Redactor, "text">): SkippedTests {
  return new Map([...skips].map(([name, reason]) => [redact.text(name), redact.text(reason)]));
}
