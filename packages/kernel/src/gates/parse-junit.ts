import type { TestCounts } from "./coverage.ts";
import { malformedReport } from "./reports.ts";
import { readXml } from "./xml.ts";

const ROOTS = ["testsuites", "testsuite"];

/** Counts the test cases themselves; the totals in the attributes are only the tool's claim. */
export async function parseJunit(chunks: AsyncIterable<string>, path: string): Promise<TestCounts> {
  const counts = { total: 0, failed: 0, skipped: 0 };
  let current = { failed: false, skipped: false };
  await readXml(chunks, path, {
    open(name, _, names) {
      if (names.length === 1 && !ROOTS.includes(name)) throw malformedReport(path, `<${name}> is not the root of a JUnit report`);
      const parent = names.at(-2);
      if (name === "testcase") {
        counts.total++;
        current = { failed: false, skipped: false };
      } else if (name === "failure" || name === "error") {
        if (parent === "testcase") current.failed = true;
        // Set-up that failed outside of any case.
        else counts.failed++;
      } else if (name === "skipped" && parent === "testcase") current.skipped = true;
    },
    close(name) {
      if (name !== "testcase") return;
      if (current.failed) counts.failed++;
      else if (current.skipped) counts.skipped++;
    },
  });
  return { ...counts, passed: Math.max(0, counts.total - counts.failed - counts.skipped) };
}

export function addTests(left: TestCounts, right: TestCounts): TestCounts {
  return {
    total: left.total + right.total,
    passed: left.passed + right.passed,
    failed: left.failed + right.failed,
    skipped: left.skipped + right.skipped,
  };
}
