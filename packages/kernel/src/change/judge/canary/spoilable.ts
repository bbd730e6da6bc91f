import { declaredTitles } from "../test-integrity/declared-titles.ts";

/** A place in a test of the project where a change makes it fail. */
export interface Spoilable {
  readonly title: string;
  /** How it asserts. */
  readonly method: string;
  readonly from: number;
  readonly to: number;
  /** The value there; null where an assertion is inserted. */
  readonly text: string | null;
  /** The expression that is compared with the value; null if it cannot be replaced. */
  readonly actual: { readonly from: number; readonly to: number } | null;
  /** The inserted assertion, whose failure shows this token. */
  readonly insert?: (left: string, right: string) => string;
}

/** Tests that run whenever their file does. In Python also those with parameters: whatever these are, the changed test fails. */
export function titlesThatRun(path: string, text: string): readonly string[] {
  const { certain = [], repeated = [] } = declaredTitles(path, text) ?? {};
  return path.endsWith(".py") ? [...certain, ...repeated] : certain;
}
