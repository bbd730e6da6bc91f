import { tidy, type DeclaredTitles } from "./declared-titles.ts";

/** The tests in a gate's report, and the tests declared by the sources of its tree. */
export interface ReportedTree {
  readonly ran: ReadonlyMap<string, number>;
  readonly sources: readonly DeclaredTitles[];
}

export interface Contradictions {
  /** Ran on the trusted tree but not on the other, although every source that declares them is equal in both. */
  readonly vanished: readonly string[];
  /** Reported, but not declared by any source. */
  readonly undeclared: readonly string[];
}

/**
 * Compares a report with that of a trusted tree, the base, under the same gate. `unchanged` are the sources that both trees share. The
 * trusted report shows how well names and sources match in this repository: if it already contains undeclared tests, an undeclared test
 * proves nothing.
 */
export function compareTests(trusted: ReportedTree, judged: ReportedTree, unchanged: readonly DeclaredTitles[]): Contradictions {
  const ranBefore = byTitle(trusted);
  const ranNow = byTitle(judged);
  const changed = new Set(judged.sources.filter((source) => !unchanged.includes(source)).flatMap(titlesOf));
  const vanished = unchanged
    .flatMap((source) => expectedOf(source, ranNow.titles))
    .filter((title) => ranBefore.titles.has(title) && !ranNow.titles.has(title) && !changed.has(title));
  return {
    vanished: [...new Set(vanished)],
    undeclared: ranBefore.undeclared.length > 0 ? [] : ranNow.undeclared,
  };
}

/** Tests that must run again. Data may omit a repeated test, but hardly every test of a file. */
function expectedOf(source: DeclaredTitles, ranNow: ReadonlySet<string>): readonly string[] {
  const { certain, repeated } = source;
  return titlesOf(source).some((title) => ranNow.has(title)) ? certain : [...certain, ...repeated];
}

interface ByTitle {
  readonly titles: ReadonlySet<string>;
  readonly undeclared: readonly string[];
}

function byTitle({ ran, sources }: ReportedTree): ByTitle {
  const declared = new Set(sources.flatMap(titlesOf));
  const lengths = new Set([...declared].map((title) => title.length));
  const patterns = sources.flatMap((source) => source.patterns);
  const titles = new Set<string>();
  const undeclared: string[] = [];
  for (const name of ran.keys()) {
    const title = titleIn(tidy(name), declared, lengths);
    if (title !== null) titles.add(title);
    else if (!patterns.some((parts) => holdsInOrder(name, parts))) undeclared.push(name);
  }
  return { titles, undeclared };
}

function titlesOf({ certain, repeated, marked }: DeclaredTitles): string[] {
  return [...certain, ...repeated, ...marked];
}

/** A runner writes suites, classes or files before the title: takes the longest declared title at the end of the name. */
export function titleIn(name: string, declared: ReadonlySet<string>, lengths: ReadonlySet<number>): string | null {
  // pytest: test_x[1-2]; JUnit 5: adds()
  for (const whole of new Set([name, name.replace(/\[.*\]$/s, ""), name.replace(/\(.*\)$/s, "")])) {
    if (declared.has(whole)) return whole;
    for (const { index } of whole.matchAll(/(?<=[\s>.:/#›])\S/gu)) {
      // Testing every suffix of every name would take too long for a large report.
      if (!lengths.has(whole.length - index)) continue;
      const end = whole.slice(index);
      if (declared.has(end)) return end;
    }
    // go: TestX/case
    const parent = whole.split("/", 1)[0] ?? "";
    if (parent.startsWith("Test") && declared.has(parent)) return parent;
  }
  return null;
}

function holdsInOrder(name: string, parts: readonly string[]): boolean {
  const text = tidy(name);
  let from = 0;
  return parts.every((part) => {
    const at = text.indexOf(part, from);
    from = at + part.length;
    return at >= 0;
  });
}
