import { counted, lastSummary, numbersIn, type SummaryReader } from "./reader.ts";

const PYTEST =
  /^(?:=+ )?(?<tests>no tests ran|\d+ (?:passed|failed|skipped|deselected|xfailed|xpassed|errors?|warnings?|rerun)(?:, \d+ [a-z ]+)*) in \d+\.\d+s(?: \([\d:]+\))?(?: =+)?$/gm;

const UNITTEST = /^-{70}\nRan (?<ran>\d+) tests? in \d+\.\d+s\n\n(?:OK|FAILED|NO TESTS RAN)(?: \((?<parts>[^\n]*)\))?$/gm;

export const pythonReaders: readonly SummaryReader[] = [
  lastSummary(/\b(?:pytest|py\.test)\b/, PYTEST, ({ groups = {} }) => {
    const of = numbersIn(groups["tests"] ?? "");
    return counted({
      passed: of("passed") + of("xpassed"),
      failed: of("failed") + of("error") + of("errors"),
      skipped: of("skipped") + of("xfailed"),
    });
  }),
  lastSummary(/\bunittest\b/, UNITTEST, ({ groups = {} }) => {
    const parts = new Map((groups["parts"] ?? "").split(", ").map((part) => [part.split("=")[0], Number(part.split("=")[1])]));
    const of = (name: string) => parts.get(name) ?? 0;
    const failed = of("failures") + of("errors") + of("unexpected successes");
    const skipped = of("skipped") + of("expected failures");
    // Each failing subtest counts as a failure, but only its test was counted as run.
    return counted({ passed: Math.max(0, Number(groups["ran"]) - failed - skipped), failed, skipped });
  }),
];
