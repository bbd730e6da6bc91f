export interface CountedTests {
  readonly total: number;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** Counts, and the position of the summary that they are from. */
export interface Summary {
  readonly at: number;
  readonly tests: CountedTests;
}

/** The format of one test runner. */
export interface SummaryReader {
  /** Finds the runner in an argv that is joined by blanks. */
  readonly command: RegExp;
  /** Adds up several places of the output. */
  readonly adds: boolean;
  /** The last summary in the output; null if there is none. */
  readonly read: (text: string) => Summary | null;
}

/** A runner that prints one summary; `pattern` is global. */
export function lastSummary(command: RegExp, pattern: RegExp, testsOf: (match: RegExpExecArray) => CountedTests | null): SummaryReader {
  return {
    command,
    adds: false,
    read(text) {
      const match = [...text.matchAll(pattern)].at(-1);
      const tests = match === undefined ? null : testsOf(match);
      return match === undefined || tests === null ? null : { at: match.index, tests };
    },
  };
}

/** The numbers before words, as in "1 failed, 2 passed". */
export function numbersIn(text: string): (word: string) => number {
  const numbers = new Map<string, number>();
  for (const [, number, word = ""] of text.matchAll(/(\d+) ([a-z]+)/g)) numbers.set(word, Number(number));
  return (word) => numbers.get(word) ?? 0;
}

export function counted(parts: Omit<CountedTests, "total">): CountedTests {
  return { total: parts.passed + parts.failed + parts.skipped, ...parts };
}

export function sumOf(all: readonly CountedTests[]): CountedTests {
  const sum = (field: keyof CountedTests) => all.reduce((total, tests) => total + tests[field], 0);
  return { total: sum("total"), passed: sum("passed"), failed: sum("failed"), skipped: sum("skipped") };
}
