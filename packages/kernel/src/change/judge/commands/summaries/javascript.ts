import { counted, lastSummary, numbersIn, type SummaryReader } from "./reader.ts";

const number = (text: string | undefined) => Number(text ?? 0);

/** The eight lines at the end of both reporters. The details of failures that may follow are indented. */
const NODE =
  /^(?<mark>ℹ|#) tests \d+\n\k<mark> suites \d+\n\k<mark> pass (?<pass>\d+)\n\k<mark> fail (?<fail>\d+)\n\k<mark> cancelled (?<cancelled>\d+)\n\k<mark> skipped (?<skipped>\d+)\n\k<mark> todo (?<todo>\d+)\n\k<mark> duration_ms /gmu;

const VITEST = /^ *Test Files {2}[^\n]*\n *Tests {2}(?<tests>no tests|[^\n]+ \(\d+\))$/gm;
const JEST = /^Test Suites: [^\n]*\nTests: +(?<tests>[^\n]*\d+ total)$/gm;
const MOCHA = /^ {2}(?<passing>\d+) passing \([^\n)]+\)\n(?: {2}(?<pending>\d+) pending\n)?(?: {2}(?<failing>\d+) failing$)?/gm;

export const javascriptReaders: readonly SummaryReader[] = [
  lastSummary(/\bnode\b.*--test\b/, NODE, ({ groups = {} }) =>
    counted({
      passed: number(groups["pass"]),
      failed: number(groups["fail"]) + number(groups["cancelled"]),
      skipped: number(groups["skipped"]) + number(groups["todo"]),
    }),
  ),
  lastSummary(/\bvitest\b/, VITEST, ({ groups = {} }) => worded(groups["tests"])),
  lastSummary(/\bjest\b/, JEST, ({ groups = {} }) => worded(groups["tests"])),
  lastSummary(/\bmocha\b/, MOCHA, ({ groups = {} }) =>
    counted({ passed: number(groups["passing"]), failed: number(groups["failing"]), skipped: number(groups["pending"]) }),
  ),
];

function worded(text = "") {
  const of = numbersIn(text);
  return counted({ passed: of("passed"), failed: of("failed"), skipped: of("skipped") + of("todo") });
}
