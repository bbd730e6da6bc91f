/**
 * A test that must fail: one of the project whose expected value was changed, or a new one, in a file of its own or, where sources contain
 * their tests, at the end of one.
 */
export interface TestPlant {
  readonly kind: "test";
  readonly path: string;
  readonly text: string;
  /** The test of the project that is changed, or beside which it is planted, and the framework of both. */
  readonly near: string;
  readonly framework: string;
  /** As a runner reports it. */
  readonly title: string;
  /** In the failure's text; in a new test put together at run time, so that a tool that prints the source does not show it. */
  readonly token: string;
  /** Whether the report of the passed gate names it. */
  readonly reported: boolean;
  /** The file that the planted one writes when it is loaded; null if it does not. */
  readonly trace: string | null;
}

/** An exception at the end of a file, after everything that the file does when it is loaded. */
export interface LoadPlant {
  readonly kind: "load";
  readonly path: string;
  readonly text: string;
  readonly token: string;
}

/** A function that nothing calls, at the end of a file: a coverage report that says that it ran, or does not know it, is not of this run. */
export interface CoverPlant {
  readonly kind: "cover";
  readonly path: string;
  readonly text: string;
  /** Its line that never runs. */
  readonly line: number;
  readonly token: "";
}

export type Plant = TestPlant | LoadPlant | CoverPlant;

/** What a writer of planted tests gets. */
export interface TestToWrite {
  readonly path: string;
  /** The test beside it. */
  readonly near: string;
  readonly nearText: string;
  /** Words of its title. */
  readonly words: readonly string[];
  /** Its two parts. */
  readonly token: readonly [string, string];
  /** The absolute path of the file it writes when loaded. */
  readonly trace: string;
  /** Specifiers that it loads besides those of its neighbour. */
  readonly loads: readonly string[];
}

export interface WrittenTest {
  readonly title: string;
  readonly text: string;
  readonly hasTrace: boolean;
}

export const joined = (parts: readonly [string, string]): string => parts.join("-");
