import { expect, test } from "vitest";
import { noTestsYet } from "./no-tests-yet.ts";
import { verdictOf } from "./verdict.ts";

test.each([
  ["pytest -q", 5, "\nno tests ran in 0.01s\n"],
  ["pytest", 5, "collected 0 items\n\n\u001b[33m============ \u001b[33mno tests ran\u001b[0m\u001b[33m in 0.00s\u001b[0m =====\n"],
  ["pytest in a folder that does not exist", 4, "\nno tests ran in 0.00s\nERROR: file or directory not found: tests\n\n"],
  ["unittest", 5, "----\nRan 0 tests in 0.000s\n\nNO TESTS RAN\n"],
  ["vitest", 1, "\nNo test files found, exiting with code 1\n"],
  ["jest", 1, "No tests found, exiting with code 1\nRun with `--passWithNoTests`"],
])("%s without any test is a warning on the base", (_runner, code, log) => {
  expect(verdictOf(noTestsYet("test", code, log))).toBe("warn");
});

test.each([
  ["another exit code", 1, "no tests ran in 0.01s\n"],
  ["no exit code", null, "no tests ran in 0.01s\n"],
  ["an error while tests are collected", 2, "ERROR tests/test_a.py\n"],
  ["a test that prints the words", 1, "  AssertionError: expected 'No tests found, exiting with code 1'\n"],
  ["the same exit code of another program", 5, "curl: could not resolve proxy\n"],
])("%s stays a failure", (_what, code, log) => expect(noTestsYet("test", code, log)).toBeNull());
