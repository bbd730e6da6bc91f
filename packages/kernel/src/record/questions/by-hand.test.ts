import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { byHandRule } from "./by-hand.ts";
import type { InboxQuestion } from "./question.ts";

const schema = {
  type: "object",
  properties: { type: { const: "NOTE" }, text: { type: "string" } },
  required: ["type", "text"],
  additionalProperties: false,
};
const VALID = { type: "NOTE", text: "t" };

function scene(may_edit: boolean) {
  const root = mkdtempSync(join(tmpdir(), "slipway-by-hand-"));
  mkdirSync(join(root, "m"));
  const question = { context: { folder: "m", schema, may_edit, feature_id: "f" } } as unknown as InboxQuestion;
  const judge = async (value: unknown) => byHandRule(root)?.(question, value);
  return { judge, write: (text: string) => writeFileSync(join(root, "m", "answer.json"), text) };
}

test("an answer in the file or in the command is checked at once, with all errors", async () => {
  const { judge, write } = scene(false);
  expect(await judge({ decision: "done" })).toBe("m/answer.json does not exist yet.");
  expect(await judge({ decision: "done", answer: VALID })).toBeNull();
  expect(await judge({ decision: "done", answer: { type: "NOTE" } })).toMatch(/^answer, \/text: missing/);
  write("{oh");
  expect(await judge({ decision: "done" })).toMatch(/^m\/answer\.json: not valid JSON/);
  write('{"type":"PATCH","other":1}');
  expect(await judge({ decision: "done" })).toMatch(
    /^m\/answer\.json, \/type: .*; m\/answer\.json, \/text: missing.*; m\/answer\.json, \/other: /,
  );
  write("[]");
  expect(await judge({ decision: "done" })).toMatch(/^m\/answer\.json: /);
  write(JSON.stringify(VALID));
  expect(await judge({ decision: "done" })).toBeNull();
});

test("a person who edits files, or declines, need not write an answer", async () => {
  expect(await scene(true).judge({ decision: "done" })).toBeNull();
  expect(await scene(false).judge({ decision: "reject" })).toBeNull();
});
