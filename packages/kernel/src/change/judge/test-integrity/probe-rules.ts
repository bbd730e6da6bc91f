import type { TestCounts } from "../gates/coverage.ts";
import { finding, type Finding } from "./finding.ts";

export interface Probed {
  readonly mode: string;
  /** What the gate counted on the base, and on the change; null where it counts no tests. */
  readonly before: TestCounts | null;
  readonly now: TestCounts | null;
  readonly tried: readonly { readonly path: string; readonly line: number; readonly what: string; readonly noticed: boolean }[];
}

/** `findings` are what the change itself shows: tests that the specification takes away are not missed. */
export function probeFindings({ mode, before, now, tried }: Probed, findings: readonly Finding[]): Finding[] {
  const wanted = findings.some(({ rule, level }) => rule === "tests_removed" && level === "note");
  const found: Finding[] = [];
  if (before !== null && now !== null && now.passed < before.passed && !wanted)
    found.push(
      finding("fewer_tests", "", `fewer tests pass in the ${mode} gate than before: ${now.passed}, and ${before.passed} on the base`),
    );
  if (before !== null && now !== null && now.skipped > before.skipped)
    found.push(finding("more_skipped", "", `more tests are skipped than before: ${now.skipped}, and ${before.skipped} on the base`));
  if (tried.length > 0 && tried.every(({ noticed }) => !noticed)) {
    const places = tried.map(({ path, line }) => `${path}:${line}`).join(", ");
    found.push(finding("tests_do_not_notice", "", `no test noticed when a line of this change was broken on purpose (${places})`));
  }
  return found;
}
