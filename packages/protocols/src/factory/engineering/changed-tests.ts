import { spoil } from "@slipway/kernel/change/judge/canary/spoil-tests";
import { titlesThatRun } from "@slipway/kernel/change/judge/canary/spoilable";
import type { Random } from "@slipway/kernel/change/judge/canary/names";
import type { ModuleSources } from "@slipway/languages/language";
import { isTestFile } from "@slipway/languages/typescript/layout";
import type { TestRun } from "@slipway/languages/typescript/test-run";

interface ChangedTests {
  readonly sources: ModuleSources;
  /** The titles of the changed tests of each file; each is in one file only. */
  readonly titles: ReadonlyMap<string, readonly string[]>;
}

/**
 * The same module, with some tests of each test file comparing other values: they must fail. Their titles stay, because a test file may
 * check nothing under the titles it knows.
 */
export function withChangedTests(sources: ModuleSources, random: Random): ChangedTests {
  const all = Object.entries(sources.files).flatMap(([path, text]) => (isTestFile(path) ? titlesThatRun(path, text) : []));
  const isOnce = (title: string) => all.filter((one) => one === title).length === 1;
  const titles = new Map<string, readonly string[]>();
  const files = Object.entries(sources.files).map(([path, text]) => {
    const changed = isTestFile(path) ? spoil(path, text, isOnce, [], random) : null;
    if (changed === null) return [path, text] as const;
    titles.set(
      path,
      changed.tests.map(({ title }) => title),
    );
    return [path, changed.text] as const;
  });
  return { sources: { ...sources, files: Object.fromEntries(files) }, titles };
}

/** The test files with a changed test that passed all the same. */
export function filesThatPassed({ tests }: TestRun, titles: ChangedTests["titles"]): string[] {
  const passed = tests.filter(({ result }) => result === "PASS").map(({ name }) => name);
  const isPassed = (title: string) => passed.some((name) => name === title || name.endsWith(` > ${title}`));
  return [...titles].flatMap(([path, changed]) => (changed.some(isPassed) ? [path] : []));
}
