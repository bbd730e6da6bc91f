import { describe, expect, test } from "vitest";
import { changed, sampleSpec, sampleTask, TASK } from "./testing/specs.ts";
import { judgeSpec, validateSpec } from "./validate.ts";

const one = sampleSpec([sampleTask(1)]);

/** The warnings of a draft without errors. */
function warnings(draft: unknown): string[] {
  const judged = judgeSpec(draft);
  expect(judged.ok).toBe(true);
  return judged.ok ? judged.warnings.map(({ path, severity }) => (expect(severity).toBe("WARNING"), path)) : [];
}

describe("[FAC-028] 11: a description", () => {
  test.each(["", "/pillars/0", "/pillars/0/epics/0", "/pillars/0/epics/0/stories/0", TASK])(
    "at %s/description with less than 20 characters is a warning and no error",
    (node) => {
      expect(warnings(changed(one, `${node}/description`, "nineteen characters"))).toEqual([`${node}/description`]);
      expect(warnings(changed(one, `${node}/description`, "exactly 20 letters!!"))).toEqual([]);
      expect(warnings(changed(one, `${node}/description`, `  ${"é".repeat(19)}   `))).toEqual([`${node}/description`]);
    },
  );
});

describe("[FAC-029] 12: an acceptance criterion", () => {
  const at = `${TASK}/acceptance_criteria`;

  test.each([
    "returns 3",
    "Displays the list",
    "an error is raised",
    "the file is written",
    "emits one event",
    "rejects a word",
    "validates the address",
    "should log the reason",
    "is never shown twice",
    "carries on and retries",
  ])("%j can be observed", (text) => expect(warnings(changed(one, at, ["returns 3", text]))).toEqual([]));

  test.each(["the code is clean", "good performance", "user friendly", "the returnable bottle"])("%j cannot", (text) =>
    expect(warnings(changed(one, at, ["returns 3", text]))).toEqual([`${at}/1`]),
  );
});

describe("[FAC-030] 13: subtasks", () => {
  const at = `${TASK}/subtasks`;

  test.each([
    ["Write the parser", "Write the parser."],
    ["Write unit tests for the parser", "write more unit tests for parser"],
    ["Validate the input", "Input validation"],
    ["Implement the parser", "Implementing a parser"],
  ])("%j and %j are nearly the same", (first, second) => {
    expect(warnings(changed(one, at, [first, second]))).toEqual([`${at}/1`]);
    expect(warnings(changed(one, at, [first, "Measure it", second]))).toEqual([`${at}/2`]);
  });

  test.each([
    ["Write unit tests for the parser", "Write unit tests for the lexer"],
    ["Read the file", "Close the file"],
    ["Validate the email of the form", "Validate the phone of the form"],
    ["the of", "a to"],
  ])("%j and %j are different", (first, second) => expect(warnings(changed(one, at, [first, second]))).toEqual([]));
});

describe("[FAC-031] 14: error surfaces", () => {
  const at = `${TASK}/io_contract_sketch/error_surfaces`;

  test.each([
    "errors may occur",
    "Various exceptions can be thrown.",
    "Errors are handled gracefully",
    "throws an error if something goes wrong",
  ])("%j names no condition", (text) => expect(warnings(changed(one, at, text))).toEqual([at]));

  test.each(["BadLine when a separator is missing", "throws when the file is gone", "error 404", "times out after 5 s"])(
    "%j names one",
    (text) => expect(warnings(changed(one, at, text))).toEqual([]),
  );
});

test("[FAC-007] a report separates errors and warnings, each with path, field, severity and message", () => {
  const draft = changed(changed(one, "/description", "short"), `${TASK}/subtasks`, ["Split the line"]);
  expect(validateSpec(draft)).toEqual({
    errors: [
      { path: `${TASK}/subtasks`, field: "subtasks", severity: "ERROR", message: "TSK-001 has only 1 subtask; at least 2 must be there." },
    ],
    warnings: [
      {
        path: "/description",
        field: "description",
        severity: "WARNING",
        message: "SPEC-001: the description has 5 characters; 20 are the least that can say something.",
      },
    ],
  });
});
