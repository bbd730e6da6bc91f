import type { FailureType, InjectionFailure, TestFailure } from "./failures.ts";

export interface FailedFunction {
  readonly name: string;
  readonly signature: string;
  /** Definitions that the function needs, without bodies. */
  readonly typeContext: string;
}

const TITLES: Readonly<Record<FailureType, string>> = {
  syntax: "Syntax",
  type: "Type",
  test: "Test",
  timeout: "Timeout",
  semantic: "Semantic",
  complexity: "Complexity",
  security: "Security",
  coherence: "Coherence",
};

const MAX_LINE = 300;

/** What the next tier is told: what failed. There is no parameter for what was tried. */
export function failureSummary({ name, signature, typeContext }: FailedFunction, failure: InjectionFailure): string {
  return [
    `FUNCTION: ${oneLine(name)}`,
    `SIGNATURE: ${oneLine(signature)}`,
    "",
    `FAILURE TYPE: ${TITLES[failure.type]}`,
    ...details(failure),
    "",
    `TYPE CONTEXT:\n${typeContext.trim() === "" ? "(none)" : typeContext}`,
    "",
    "NOTE: Earlier attempts were discarded. Start from scratch.",
    "",
  ].join("\n");
}

function details(failure: InjectionFailure): string[] {
  switch (failure.type) {
    case "syntax":
      return [`PARSE ERROR: ${oneLine(failure.parseError)}`];
    case "type":
      return ["COMPILER ERRORS:", ...failure.compilerError.split("\n").map((line) => `  - ${oneLine(line)}`)];
    case "test":
      return ["FAILING TESTS:", ...failure.failingTests.map((one) => `  - ${testLine(one)}`)];
    case "timeout":
      return [`LIMIT: ${failure.limit} (${oneLine(failure.resource)})`];
    case "semantic":
      return [`VIOLATION: ${oneLine(failure.violation)}`];
    case "complexity":
      return [`COMPLEXITY: expected ${oneLine(failure.expected)}, got ${oneLine(failure.measured)}`];
    case "security":
      return [`VULNERABILITY: ${oneLine(failure.vulnerability)}`];
    case "coherence":
      return [`CONFLICTS WITH: ${oneLine(failure.conflictingFunctions.join(", "))}`];
  }
}

const EXPECTED_GOT = /\bexpected:?\s+(?<expected>.+?),?\s+(?:but\s+)?(?:got|received|found):?\s+(?<got>.+)$/i;

/** `<test>: expected X, got Y`. A message in other words is what the test got instead of a pass. */
function testLine({ test, message }: TestFailure): string {
  const line = oneLine(message);
  const { expected = "a pass", got = line } = EXPECTED_GOT.exec(line)?.groups ?? {};
  return `${oneLine(test)}: expected ${expected}, got ${got}`;
}

/** Messages come from code that a model wrote: one of several lines could pretend to be another field. */
function oneLine(text: string): string {
  const line = text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029\s]+/gu, " ")
    .trim();
  return line.length > MAX_LINE ? `${line.slice(0, MAX_LINE).toWellFormed()}…` : line;
}
