import type { RanTests, SkippedTests } from "../gates/parse-junit.ts";
import { titleIn } from "../test-integrity/compare-tests.ts";
import { tidy } from "../test-integrity/declared-titles.ts";
import type { ExpectedTests } from "./expect-tests.ts";

/** An expected file and its tests that did not run. */
export interface MissingTests {
  readonly path: string;
  readonly titles: readonly string[];
  readonly of: number;
}

export interface ReportedTests {
  readonly ran: RanTests;
  readonly skips: SkippedTests;
}

/** How much of a reason has to be in the source: its end may be made at run time. */
const REASON_CHARACTERS = 20;

/**
 * Expected tests that a report does not have. A title that several files declare has to run as often. A skipped test counts as run if the
 * test itself decided it: its file says why, or, where the runner reports no reasons, skips at run time and had other tests run.
 */
export function missingTests(
  { files }: Pick<ExpectedTests, "files">,
  reported: ReportedTests | null,
  textOf: (path: string) => string,
): MissingTests[] {
  const wanted = files.map(({ path, titles }) => ({ path, titles: titles.map((title) => ({ title, tidied: tidy(title) })) }));
  const declared = new Set(wanted.flatMap(({ titles }) => titles.map(({ tidied }) => tidied)));
  const lengths = new Set([...declared].map((title) => title.length));
  const titleOf = (name: string) => titleIn(tidy(name), declared, lengths);
  const ran = new Map<string, number>();
  for (const [name, times] of reported?.ran ?? []) {
    const title = titleOf(name);
    if (title !== null) ran.set(title, (ran.get(title) ?? 0) + times);
  }
  const reasons = new Map<string, string>();
  for (const [name, reason] of reported?.skips ?? []) reasons.set(titleOf(name) ?? name, reason);
  const often = new Map<string, number>();
  for (const { titles } of wanted) for (const { tidied } of titles) often.set(tidied, (often.get(tidied) ?? 0) + 1);
  const hasRun = (tidied: string) => (ran.get(tidied) ?? 0) >= (often.get(tidied) ?? 1);
  return wanted.flatMap(({ path, titles }) => {
    const isUsed = titles.some(({ tidied }) => hasRun(tidied));
    const skippedItself = (tidied: string) => {
      const reason = reasons.get(tidied);
      if (reason === undefined) return false;
      const text = textOf(path);
      return reason === "" ? isUsed && /\bskip\s*\(/.test(text) : text.includes(reason.slice(0, REASON_CHARACTERS));
    };
    const missing = titles.filter(({ tidied }) => !hasRun(tidied) && !skippedItself(tidied)).map(({ title }) => title);
    return missing.length === 0 ? [] : [{ path, titles: missing, of: titles.length }];
  });
}
