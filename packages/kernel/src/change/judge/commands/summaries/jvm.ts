import { counted, lastSummary, sumOf, type CountedTests, type SummaryReader } from "./reader.ts";

/** A line with an elapsed time is about one class. */
const MAVEN =
  /^(?:\[[A-Z]+\] )?Tests run: (?<run>\d+), Failures: (?<failures>\d+), Errors: (?<errors>\d+), Skipped: (?<skipped>\d+)(?:, Flakes: \d+)?$/gm;
/** The heading of one execution of Surefire or Failsafe. */
const MAVEN_START = /^\[INFO\] -{3} (?:maven-)?(?:surefire|failsafe)(?:-plugin)?:[^\n]*$/gm;

const GRADLE = /^(?<run>\d+) tests? completed(?:, (?<failed>\d+) failed)?(?:, (?<skipped>\d+) skipped)?$/gm;
const GRADLE_START = /^> Task :\S+(?: [A-Z-]+)?$/gm;

/** The console launcher of JUnit 5. */
const LAUNCHER =
  /^\[ +(?<skipped>\d+) tests skipped +\]\n\[ +\d+ tests started +\]\n\[ +(?<aborted>\d+) tests aborted +\]\n\[ +(?<passed>\d+) tests successful +\]\n\[ +(?<failed>\d+) tests failed +\]$/gm;

export const jvmReaders: readonly SummaryReader[] = [
  perPart(/\bmvnw?\b/, MAVEN_START, MAVEN, ({ groups = {} }) => {
    const [failed, skipped] = [Number(groups["failures"]) + Number(groups["errors"]), Number(groups["skipped"])];
    return counted({ passed: Math.max(0, Number(groups["run"]) - failed - skipped), failed, skipped });
  }),
  perPart(/\bgradlew?\b/, GRADLE_START, GRADLE, ({ groups = {} }) => {
    const [failed, skipped] = [Number(groups["failed"] ?? 0), Number(groups["skipped"] ?? 0)];
    return counted({ passed: Math.max(0, Number(groups["run"]) - failed - skipped), failed, skipped });
  }),
  lastSummary(/\bjunit-platform-console\b/, LAUNCHER, ({ groups = {} }) =>
    counted({
      passed: Number(groups["passed"]),
      failed: Number(groups["failed"]),
      skipped: Number(groups["skipped"]) + Number(groups["aborted"]),
    }),
  ),
];

/** A build of several parts prints one summary for each; the last one within a part is the runner's own. */
function perPart(command: RegExp, start: RegExp, summary: RegExp, testsOf: (match: RegExpExecArray) => CountedTests): SummaryReader {
  return {
    command,
    adds: true,
    read(text) {
      const starts = [...text.matchAll(start)].map(({ index }) => index);
      const partOf = (at: number) => starts.findLastIndex((begin) => begin < at);
      const matches = [...text.matchAll(summary)];
      const own = [...Map.groupBy(matches, ({ index }) => partOf(index)).values()].flatMap((part) => part.slice(-1));
      const last = own.at(-1);
      return last === undefined ? null : { at: last.index, tests: sumOf(own.map(testsOf)) };
    },
  };
}
