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

/** Changed files that are compared with every path of a repository. */
const MOST_COMPARED = 50;

/** How near a path is to the changed ones, without reading it: the more folders and words in common, the nearer. */
export function nearnessTo(changed: readonly string[]): (path: string) => number {
  const others = changed.slice(0, MOST_COMPARED).map((path) => ({ path, words: new Set(wordsOf(path)) }));
  return (path) => {
    const parts = wordsOf(path);
    return Math.max(0, ...others.map((other) => (other.path === path ? 100 : parts.filter((word) => other.words.has(word)).length)));
  };
}

function wordsOf(path: string): string[] {
  return path.toLowerCase().split(/[/._-]+/);
}

export const MOST_NEIGHBOURS = 3;

/** The tests of a tree, those first that the gate's report names and that load changed files. */
function ranked(tests: readonly KnownTest[], changed: readonly string[], reported: Iterable<string> | null): KnownTest[] {
  const names = reported === null ? null : [...reported];
  const near = nearnessTo(changed);
  const score = ({ path, text, direct, indirect }: KnownTest): number => {
    const titles = names === null ? null : titlesOf(path, text);
    const isReported = names !== null && titles !== null && namesAny(names, titles);
    const reach = direct.length > 0 ? 400 : indirect.length > 0 ? 300 : changed.includes(path) ? 200 : 0;
    return (isReported ? 1_000 : 0) + reach + Math.min(near(path), 99);
  };
  return tests
    .map((test) => ({ test, score: score(test) }))
    .toSorted((left, right) => right.score - left.score || (left.test.path < right.test.path ? -1 : 1))
    .map(({ test }) => test);
}

const isReaching = ({ path, direct, indirect }: KnownTest, changed: readonly string[]) =>
  direct.length > 0 || indirect.length > 0 || changed.includes(path);

/** The tests beside which one is planted. One per framework and folder. */
export function chooseNeighbours(tests: readonly KnownTest[], changed: readonly string[], reported: Iterable<string> | null): KnownTest[] {
  const places = new Set<string>();
  const chosen: KnownTest[] = [];
  for (const test of ranked(tests, changed, reported)) {
    const place = `${test.framework}\0${posix.dirname(test.path)}`;
    if (places.has(place) || chosen.length === MOST_NEIGHBOURS) continue;
    places.add(place);
    chosen.push(test);
  }
  // Without a changed file in reach, one test shows as much as three.
  const reaching = chosen.filter((test) => isReaching(test, changed));
  const first = chosen.slice(0, 1).filter((test) => !reaching.includes(test));
  return [...first, ...reaching];
}

const MOST_CHANGED = 12;
const FEWEST_CHANGED = 4;

/** The tests that are changed to fail: all that load changed files, as each may run in a process of its own; others if these are few. */
export function chooseChanged(tests: readonly KnownTest[], changed: readonly string[], reported: Iterable<string> | null): KnownTest[] {
  const all = ranked(tests, changed, reported);
  const reaching = all.filter((test) => isReaching(test, changed)).slice(0, MOST_CHANGED);
  const others = all.filter((test) => !reaching.includes(test)).slice(0, Math.max(0, FEWEST_CHANGED - reaching.length));
  return [...reaching, ...others];
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
