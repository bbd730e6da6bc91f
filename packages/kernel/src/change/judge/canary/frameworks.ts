import { jsFramework, writeJsTest } from "./js-test.ts";
import { writeGoTest, writeJavaTest, writeRustTest } from "./other-tests.ts";
import type { TestToWrite, WrittenTest } from "./plant.ts";
import { pyFramework, writePyTest } from "./py-test.ts";

interface TestFrameworks {
  readonly language: string;
  /** Files that may contain tests, and those that are called like tests. */
  readonly file: RegExp;
  readonly named: RegExp;
  /** The framework of a file by its text; null if it declares no test. */
  readonly of: (text: string, isNamed: boolean) => string | null;
  readonly write: (test: TestToWrite) => WrittenTest;
  /** Whether tests of a source stay in it, so that the test is planted at its end. */
  readonly isInside?: (path: string) => boolean;
}

const JS =
  /(?:[._-](?:test|tests|spec|specs|it|e2e|unit|integration)|(?:^|\/)(?:test|tests|__tests__|spec|specs)\/.*|(?:^|\/)(?:test|tests))\.[cm]?[jt]sx?$/i;

/** The languages in which a test can be planted. A test framework that is not here is not read: nothing is planted in its files. */
export const TEST_FRAMEWORKS: readonly TestFrameworks[] = [
  { language: "JavaScript", file: /(?<!\.d)\.[cm]?[jt]sx?$/, named: JS, of: jsFramework, write: writeJsTest },
  { language: "Python", file: /\.py$/, named: /(?:^|\/)(?:test[^/]*|[^/]*_tests?|tests\/[^/]*)\.py$/, of: pyFramework, write: writePyTest },
  {
    language: "Go",
    file: /_test\.go$/,
    named: /_test\.go$/,
    of: (text) => (/^func Test\w+\(/m.test(text) ? "go test" : null),
    write: writeGoTest,
  },
  {
    language: "Rust",
    file: /\.rs$/,
    named: /(?:^|\/)tests\/[^/]+\.rs$/,
    of: (text) => (/#\[(?:\w+::)?test\b/.test(text) ? "cargo test" : null),
    write: writeRustTest,
    isInside: (path) => !/(?:^|\/)tests\/[^/]+\.rs$/.test(path),
  },
  {
    language: "Java",
    file: /\.java$/,
    named: /(?:^|\/)(?:Test\w*|\w+(?:Tests?|IT))\.java$/,
    of: (text) => (/\borg\.junit\b/.test(text) ? (text.includes("org.junit.jupiter") ? "JUnit 5" : "JUnit 4") : null),
    write: writeJavaTest,
  },
];

export function isNamedLikeTest(path: string): boolean {
  return TEST_FRAMEWORKS.some(({ named }) => named.test(path));
}

/** The framework of the tests in a file; null if it declares none. */
export function frameworkOf(path: string, text: string): string | null {
  return frameworksFor(path)?.of(text, isNamedLikeTest(path)) ?? null;
}

export function frameworksFor(path: string): TestFrameworks | null {
  return TEST_FRAMEWORKS.find(({ file }) => file.test(path)) ?? null;
}
