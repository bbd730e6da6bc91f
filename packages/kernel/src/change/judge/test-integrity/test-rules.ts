import type { SpecMentions } from "./spec-mentions.ts";
import type { Assertion } from "./assertions.ts";
import { finding, listed, type ChangedFile, type TestFinding } from "./finding.ts";
import { languageOf } from "./test-language.ts";
import { readTests, type FoundTest, type TestFile } from "./tests-in.ts";

interface Side {
  readonly file: ChangedFile;
  readonly before: TestFile | null;
  readonly after: TestFile | null;
}

/**
 * Tests that were removed, switched off or weakened, and new tests without assertions. Considers all files together, because a test may
 * move.
 */
export function testFindings(files: readonly ChangedFile[], asked: SpecMentions): TestFinding[] {
  const sides = files.map(readSides);
  const now = sides.flatMap(({ after }) => after?.tests ?? []);
  const old = sides.flatMap(({ before }) => before?.tests ?? []);
  return sides.flatMap((side) => {
    const findings = [...lost(side, now, old, asked), ...weakened(side, now, asked), ...switchedOff(side), ...idle(side, old)];
    if (findings.length > 0 || side.file.status === "A") return findings;
    return [
      {
        rule: "tests_changed",
        path: side.file.path,
        message: "changes existing tests without weakening them",
        level: "note",
      },
    ];
  });
}

function readSides(file: ChangedFile): Side {
  const language = languageOf(file.path);
  const read = (text: string | null) => (text === null || language === null ? null : readTests(text, language));
  return { file, before: read(file.before), after: read(file.after) };
}

/** Tests that no longer exist under any name. */
function lost({ file: { path }, before }: Side, now: readonly FoundTest[], old: readonly FoundTest[], asked: SpecMentions): TestFinding[] {
  const fresh = now.filter((test) => !old.some(({ title }) => title === test.title));
  const gone = (before?.tests ?? []).filter(
    (test) => !now.some(({ title }) => title === test.title) && !fresh.some((other) => holdsAllOf(other, test)),
  );
  const unasked = gone.filter(({ title }) => !asked.file(path) && !asked.words(title));
  const report = (tests: readonly FoundTest[], isAsked: boolean) =>
    tests.length === 0
      ? []
      : [finding("tests_removed", path, `removes ${count(tests)} that ${were(tests)} there before: ${titles(tests)}`, isAsked)];
  return [
    ...report(unasked, false),
    ...report(
      gone.filter((test) => !unasked.includes(test)),
      true,
    ),
  ];
}

/** Whether the other test is this one under a new name: the same code, or at least all of its assertions. */
function holdsAllOf(other: FoundTest, test: FoundTest): boolean {
  if (bodyOf(other) === bodyOf(test)) return true;
  return test.assertions.length > 0 && missing(test.assertions, other.assertions).length === 0;
}

function bodyOf({ code, title }: FoundTest): string {
  return code.replace(title, "");
}

function weakened({ file: { path }, before, after }: Side, now: readonly FoundTest[], asked: SpecMentions): TestFinding[] {
  if (before === null) return [];
  const pairs = [...before.tests, before.rest].flatMap((was) => {
    const is = was.title === "" ? after?.rest : [...(after?.tests ?? []), ...now].find(({ title }) => title === was.title);
    return is === undefined ? [] : [{ was, is }];
  });
  const fresh = now.filter(({ title }) => !before.tests.some((test) => test.title === title));
  const moved = [...fresh, ...(after === null ? [] : [after.rest])].flatMap(({ assertions }) => assertions);
  const weaker = pairs.filter(({ was, is }) => missing(missing(was.assertions, is.assertions), moved).length > 0);
  const escaping = pairs.filter(({ was, is }) => is.exits > was.exits && was.title !== "" && was.assertions.length > 0);
  const isAsked = ({ was: { title } }: { was: FoundTest }) => asked.file(path) || asked.words(title);
  const report = (some: typeof pairs, what: string, isIt: boolean) =>
    some.length === 0 ? [] : [finding("tests_weakened", path, `${what} ${titles(some.map(({ was }) => was))}`, isIt)];
  return [
    ...report(
      weaker.filter((pair) => !isAsked(pair)),
      "changes or drops assertions in",
      false,
    ),
    ...report(weaker.filter(isAsked), "changes or drops assertions in", true),
    ...report(escaping, "may end before its assertions:", false),
  ];
}

/** Assertions without a counterpart that has the same values and compares at least as strictly. */
function missing(was: readonly Assertion[], is: readonly Assertion[]): Assertion[] {
  const remaining = [...is];
  return was.filter((assertion) => {
    const at = remaining.findIndex(
      (other) =>
        (other.exact || !assertion.exact) && other.literals.join("\0") === assertion.literals.join("\0") && (!other.idle || assertion.idle),
    );
    if (at >= 0) remaining.splice(at, 1);
    return at < 0;
  });
}

function switchedOff({ file: { path }, before, after }: Side): TestFinding[] {
  if (after === null) return [];
  const markedBefore = (title: string) =>
    [...(before?.tests ?? []), ...(before === null ? [] : [before.rest])].find((test) => test.title === title)?.marks ?? [];
  const marked = [...after.tests, after.rest].flatMap((test) => {
    const fresh = test.marks.slice(markedBefore(test.title).length);
    return fresh.length === 0 ? [] : [{ test, mark: fresh[0] ?? "" }];
  });
  const swallowing = after.tests.filter((test) => test.swallows > (before?.tests.find(({ title }) => title === test.title)?.swallows ?? 0));
  return [
    ...(marked.length === 0
      ? []
      : [
          finding(
            "tests_switched_off",
            path,
            `marks ${titles(marked.map(({ test }) => test))} as ${[...new Set(marked.map(({ mark }) => mark))].join(", ")}`,
          ),
        ]),
    ...(swallowing.length === 0 ? [] : [finding("failures_swallowed", path, `swallows failures in ${titles(swallowing)}`)]),
  ];
}

/** New tests that always pass. */
function idle({ file: { path }, after }: Side, old: readonly FoundTest[]): TestFinding[] {
  const fresh = (after?.tests ?? []).filter((test) => !old.some(({ title }) => title === test.title));
  const empty = fresh.filter(
    ({ assertions, calls, marks }) =>
      marks.length === 0 &&
      assertions.every((assertion) => assertion.idle) &&
      !calls.some((name) => after?.asserting.includes(name) === true || ASSERTING_NAME.test(name)),
  );
  return empty.length === 0 ? [] : [finding("tests_idle", path, `asserts nothing in ${titles(empty)}`)];
}

/** Names of functions that assert, from any library. */
const ASSERTING_NAME = /^(?:assert|expect|check|verify|ensure|should|must|require)[A-Z_]/;

function titles(tests: readonly FoundTest[]): string {
  return listed(tests.map(({ title }) => title || "what its tests share"));
}

function count(tests: readonly unknown[]): string {
  return tests.length === 1 ? "a test" : `${tests.length} tests`;
}

function were(tests: readonly unknown[]): string {
  return tests.length === 1 ? "was" : "were";
}
