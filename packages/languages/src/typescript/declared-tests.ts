import type { DeclaredTest } from "../language.ts";

/** A test with the names of its suites and its own. */
export interface ReportedTest {
  readonly test: readonly string[];
  readonly suite: boolean;
}

/**
 * How the results of a file differ from the tests that its source declares. A computed name matches any name and any number of tests;
 * nested tests are not declared.
 */
export function declarationProblem(file: string, reported: readonly ReportedTest[], declared: readonly DeclaredTest[]): string | null {
  const own = declared.filter((one) => one.file === file);
  if (own.length === 0) return null;
  const written = counted(own.flatMap(({ name }) => (name === null ? [] : [name])));
  const suites = new Set(reported.filter(({ suite }) => suite).map(({ test }) => JSON.stringify(test)));
  const single = reported.filter(({ test, suite }) => !suite && (test.length === 1 || suites.has(JSON.stringify(test.slice(0, -1)))));
  const seen = counted(single.map(({ test }) => test.at(-1) ?? ""));
  const missing = [...written].find(([name, count]) => (seen.get(name) ?? 0) < count);
  if (missing !== undefined) return `${file} declares "${missing[0]}", and it was not run`;
  if (own.some(({ name }) => name === null)) return null;
  const more = [...seen].find(([name, count]) => count > (written.get(name) ?? 0));
  if (more === undefined) return null;
  return written.has(more[0]) ? `"${more[0]}" was reported more often than ${file} declares it` : `${file} does not declare "${more[0]}"`;
}

function counted(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}
