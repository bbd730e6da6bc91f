import type { TestCounts } from "../gates/coverage.ts";
import { finding, type TestFinding } from "./finding.ts";

export interface ProbeResult {
  readonly mode: string;
  /** Test counts of the gate on the base and on the change; null if it counts no tests. */
  readonly before: TestCounts | null;
  readonly now: TestCounts | null;
  readonly tried: readonly { readonly path: string; readonly line: number; readonly what: string; readonly noticed: boolean }[];
}

/** `findings` are those of the change itself: tests that the specification removes are not reported as missing. */
export function probeFindings({ mode, before, now, tried }: ProbeResult, findings: readonly TestFinding[]): TestFinding[] {
  const wanted = findings.some(({ rule, level }) => rule === "tests_removed" && level === "note");
  const reported: TestFinding[] = [];
  if (before !== null && now !== null && now.passed < before.passed && !wanted)
    reported.push(
      finding("fewer_tests", "", `fewer tests pass in the ${mode} gate than on the base: ${now.passed} instead of ${before.passed}`),
    );
  if (before !== null && now !== null && now.skipped > before.skipped)
    reported.push(finding("more_skipped", "", `more tests are skipped than on the base: ${now.skipped} instead of ${before.skipped}`));
  if (tried.length > 0 && tried.every(({ noticed }) => !noticed)) {
    const places = tried.map(({ path, line }) => `${path}:${line}`).join(", ");
    reported.push(finding("tests_do_not_notice", "", `no test failed when a line of this change was broken on purpose (${places})`));
  }
  return reported;
}
