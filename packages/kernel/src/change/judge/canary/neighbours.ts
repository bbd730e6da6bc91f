import { posix } from "node:path";
import { declaredTitles, tidy } from "../test-integrity/declared-titles.ts";
import { titleIn } from "../test-integrity/compare-tests.ts";

/** A test of the project, and what it loads. */
export interface KnownTest {
  readonly path: string;
  readonly text: string;
  readonly framework: string;
  /** Changed files that it imports, and those that its imports import. */
  readonly direct: readonly string[];
  readonly indirect: readonly string[];
}

/** Folders of files that tests read, and of other people's code. */
const NOT_RUN =
  /(?:^|\/)(?:node_modules|vendor|third_party|fixtures?|__fixtures__|testdata|__snapshots__|snapshots|dist|build|target|examples?)\//;

export function mayBeRun(path: string): boolean {
  return !NOT_RUN.test(path);
}

/** The titles that a test file declares; null if they cannot be known without running it. */
export function titlesOf(path: string, text: string): ReadonlySet<string> | null {
  const declared = declaredTitles(path, text);
  if (declared === null || declared.patterns.length > 0) return null;
  const titles = new Set([...declared.certain, ...declared.repeated, ...declared.marked]);
  return titles.size === 0 ? null : titles;
}

/** Whether a report contains one of these titles. */
export function namesAny(names: Iterable<string>, titles: ReadonlySet<string>): boolean {
  const lengths = new Set([...titles].map(({ length }) => length));
  for (const name of names) if (titleIn(tidy(name), titles, lengths) !== null) return true;
  return false;
}

/** How near a path is to one of these, without reading it: the more folders and words in common, the nearer. */
export function nearness(path: string, changed: readonly string[]): number {
  const parts = wordsOf(path);
  return Math.max(0, ...changed.map((other) => (other === path ? 100 : wordsOf(other).filter((word) => parts.includes(word)).length)));
}

function wordsOf(path: string): string[] {
  return path.toLowerCase().split(/[/._-]+/);
}

export const MOST_NEIGHBOURS = 3;

/**
 * The tests beside which one is planted: first those that the gate's report names and that load changed files. One per framework and
 * folder.
 */
export function chooseNeighbours(tests: readonly KnownTest[], changed: readonly string[], reported: Iterable<string> | null): KnownTest[] {
  const names = reported === null ? null : [...reported];
  const score = ({ path, text, direct, indirect }: KnownTest): number => {
    const titles = names === null ? null : titlesOf(path, text);
    const isReported = names !== null && titles !== null && namesAny(names, titles);
    const reach = direct.length > 0 ? 400 : indirect.length > 0 ? 300 : changed.includes(path) ? 200 : 0;
    return (isReported ? 1_000 : 0) + reach + Math.min(nearness(path, changed), 99);
  };
  const ranked = tests
    .map((test) => ({ test, score: score(test) }))
    .toSorted((left, right) => right.score - left.score || (left.test.path < right.test.path ? -1 : 1));
  const places = new Set<string>();
  const chosen: KnownTest[] = [];
  for (const { test } of ranked) {
    const place = `${test.framework}\0${posix.dirname(test.path)}`;
    if (places.has(place) || chosen.length === MOST_NEIGHBOURS) continue;
    places.add(place);
    chosen.push(test);
  }
  // Without a changed file in reach, one test shows as much as three.
  const reaching = chosen.filter(({ path, direct, indirect }) => direct.length > 0 || indirect.length > 0 || changed.includes(path));
  const first = chosen.slice(0, 1).filter((test) => !reaching.includes(test));
  return [...first, ...reaching];
}

const MOST_LOADS = 3;

/** Changed files that tests load; without any, the tests themselves. */
export function chooseLoads(tests: readonly KnownTest[], changed: readonly string[], canFail: (path: string) => boolean): string[] {
  const reached = new Set(
    tests.flatMap(({ path, direct, indirect }) => [...direct, ...indirect, ...(changed.includes(path) ? [path] : [])]),
  );
  const inReach = changed.filter((path) => reached.has(path) && canFail(path));
  if (inReach.length > 0) return inReach.slice(0, MOST_LOADS);
  const own = tests.map(({ path }) => path).filter(canFail);
  return (own.length > 0 ? own : changed.filter(canFail)).slice(0, MOST_LOADS);
}
