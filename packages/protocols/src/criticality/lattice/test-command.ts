import type { LanguageId, SourceTree } from "@slipway/languages/adapter";
import { runnerOf, type TestRunnerName } from "@slipway/languages/typescript/test-runners";

const NODE_RUNNERS: Readonly<Record<TestRunnerName, readonly string[]>> = {
  node: [
    "node",
    "--test",
    "--test-reporter=spec",
    "--test-reporter-destination=stdout",
    "--test-reporter=junit",
    "--test-reporter-destination={report}",
    "tests/**/*.test.ts",
  ],
  vitest: ["npx", "vitest", "run", "--reporter=default", "--reporter=junit", "--outputFile.junit={report}", "tests"],
  jest: ["env", "JEST_JUNIT_OUTPUT_FILE={report}", "npx", "jest", "--reporters=default", "--reporters=jest-junit", "tests"],
};

const COMMANDS: Readonly<Record<Exclude<LanguageId, "typescript">, readonly string[]>> = {
  python: [
    "env",
    "PYTHONPATH=src",
    "python3",
    "-m",
    "pytest",
    "-q",
    "-p",
    "no:cacheprovider",
    "--import-mode=importlib",
    "--junit-xml={report}",
    "tests",
  ],
  go: ["gotestsum", "--junitfile={report}", "--", "./..."],
  // The path of its report is set in .config/nextest.toml.
  rust: ["cargo", "nextest", "run", "--profile=ci"],
  java: ["mvn", "--offline", "test"],
  cpp: ["ctest", "--test-dir=build", "--output-junit={report}"],
};

/** A gate step's command that runs the generated tests and writes a JUnit report to `{report}`. */
export function testCommand(language: LanguageId, tree: SourceTree): readonly string[] {
  return language === "typescript" ? NODE_RUNNERS[runnerOf(tree)] : COMMANDS[language];
}
