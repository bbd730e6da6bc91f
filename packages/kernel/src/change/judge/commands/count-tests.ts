import { javascriptReaders } from "./summaries/javascript.ts";
import { jvmReaders } from "./summaries/jvm.ts";
import { nativeReaders } from "./summaries/native.ts";
import { pythonReaders } from "./summaries/python.ts";
import type { CountedTests, SummaryReader } from "./summaries/reader.ts";

export type { CountedTests } from "./summaries/reader.ts";

const READERS: readonly SummaryReader[] = [...javascriptReaders, ...pythonReaders, ...nativeReaders, ...jvmReaders];

export interface TestCountOptions {
  /** The argv; if it names a test runner, only that runner's format counts. */
  readonly command?: readonly string[];
  /** False if a part of the output is missing: then a format whose numbers must be added up is not read. */
  readonly isWhole?: boolean;
}

/**
 * The tests that ran, from a test runner's own last summary in the output, without escape sequences; null if there is none. What the
 * program under test prints before that summary does not count.
 */
export function countTests(output: string, { command = [], isWhole = true }: TestCountOptions = {}): CountedTests | null {
  const text = output.replaceAll("\r\n", "\n");
  const named = READERS.filter(({ command: pattern }) => pattern.test(command.join(" ")));
  const readers = (named.length === 0 ? READERS : named).filter(({ adds }) => isWhole || !adds);
  const found = readers.flatMap(({ read }) => read(text) ?? []);
  return found.toSorted((left, right) => left.at - right.at).at(-1)?.tests ?? null;
}
