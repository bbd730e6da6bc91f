import { counted, lastSummary, sumOf, type CountedTests, type Summary, type SummaryReader } from "./reader.ts";

const CARGO_START = /^running (\d+) tests?$/gm;
const CARGO_RESULT =
  /^test result: (?:ok|FAILED)\. (\d+) passed; (\d+) failed; (\d+) ignored; (\d+) measured; \d+ filtered out(?:; finished in [^\n]+)?$/gm;

/** Printed before each test program, except with `--quiet`. */
const CARGO_PROGRAM = /^ +(?:Running|Doc-tests) \S/gm;

const NEXTEST = /^ +Summary \[ *[\d.]+s\] (?<run>\d+)(?:\/\d+)? tests? run: (?<parts>[^\n]+)$/gm;

const GO_EVENT = /^(?:=== RUN +(?<run>\S+)| *--- (?<result>PASS|FAIL|SKIP): (?<name>\S+) \([\d.]+s\))$/gm;
/** The last line of a package. */
const GO_PACKAGE = /^(?:ok|FAIL) *\t[^\n]+$|^\?\s+\S+\s+\[no test files\]$/gm;

export const nativeReaders: readonly SummaryReader[] = [
  { command: /\bcargo\b.* test\b/, adds: true, read: readCargo },
  lastSummary(/\bnextest\b/, NEXTEST, ({ groups = {} }) => {
    const of = (word: string) => Number(new RegExp(`(\\d+) ${word}\\b`).exec(groups["parts"] ?? "")?.[1] ?? 0);
    return counted({ passed: of("passed"), failed: of("failed") + of("timed out"), skipped: of("skipped") });
  }),
  { command: /\bgo\b.* test\b/, adds: true, read: readGo },
];

interface Line {
  readonly at: number;
  readonly total: number;
  readonly tests: CountedTests;
}

/**
 * One summary for each test program. Read backwards: a summary belongs to the nearest start of as many tests before it, and everything
 * between the two was printed by the tests. Null if there are more pairs than test programs: then a test imitates a summary.
 */
function readCargo(text: string): Summary | null {
  const starts = [...text.matchAll(CARGO_START)].map(({ index, 1: total }) => ({ at: index, total: Number(total) }));
  const results = [...text.matchAll(CARGO_RESULT)].map(cargoLine);
  const own: Line[] = [];
  let before = text.length;
  for (const result of results.toReversed()) {
    if (result.at >= before) continue;
    const start = starts.findLast(({ at, total }) => at < result.at && total === result.total);
    if (start === undefined) continue;
    own.push(result);
    before = start.at;
  }
  const [last] = own;
  const programs = [...text.matchAll(CARGO_PROGRAM)].length;
  return last === undefined || (programs > 0 && own.length > programs)
    ? null
    : { at: last.at, tests: sumOf(own.map(({ tests }) => tests)) };
}

function cargoLine({ index: at, 1: passed, 2: failed, 3: ignored, 4: measured }: RegExpExecArray): Line {
  const tests = counted({ passed: Number(passed) + Number(measured), failed: Number(failed), skipped: Number(ignored) });
  return { at, total: tests.total, tests };
}

/** Only `go test -v` names the tests; without it a package that passes says nothing about their number. */
function readGo(text: string): Summary | null {
  const packages = [...text.matchAll(GO_PACKAGE)];
  const events = [...text.matchAll(GO_EVENT)];
  const last = packages.at(-1);
  if (last === undefined || events.every(({ groups }) => groups?.["run"] === undefined)) return null;
  let start = 0;
  const all = packages.map(({ index: end }) => {
    const own = events.filter(({ index }) => index >= start && index < end);
    start = end;
    return goPackage(own);
  });
  return { at: last.index, tests: sumOf(all) };
}

/** The last result of each test that was started; a test without one ended with its program. */
function goPackage(events: readonly RegExpExecArray[]): CountedTests {
  const results = new Map<string, string>();
  for (const { groups = {} } of events) {
    if (groups["run"] !== undefined) results.set(groups["run"], "FAIL");
    else if (groups["name"] !== undefined && results.has(groups["name"])) results.set(groups["name"], groups["result"] ?? "FAIL");
  }
  const of = (wanted: string) => [...results.values()].filter((result) => result === wanted).length;
  return counted({ passed: of("PASS"), failed: of("FAIL"), skipped: of("SKIP") });
}
