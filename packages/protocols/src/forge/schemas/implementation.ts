import { z } from "zod";
import { IMPLEMENTER_MODES } from "./enums.ts";
import { count, line, list, path, taskId, text } from "./fields.ts";

const MAX_SELF_FIXES = 2;
const SNIPPET = 500;

/** One check the harness ran before the task's first change, as it is in the ledger. */
const checkRecord = z.object({
  check_name: line,
  tool: line,
  command: text.nullable(),
  exit_code: z.int().nullable(),
  passed: z.boolean(),
  output_snippet: z.string().max(SNIPPET).nullable(),
});
export type CheckRecord = z.output<typeof checkRecord>;

const change = z.object({ path, summary: text });
const selfCheck = z.object({ attempts: z.int().min(0).max(MAX_SELF_FIXES), passed: z.boolean() });
const smokeScript = z.object({
  path,
  text: text.refine(isShort, "a smoke script has 3 to 5 lines that are not empty"),
  /** The program and its arguments, without a shell. */
  command: list(line, 1),
});

export const implementationAnswer = z
  .object({
    mode: z.enum(IMPLEMENTER_MODES).default("implement"),
    summary: text,
    changes: list(change),
    self_check: selfCheck,
    smoke_script: smokeScript.optional(),
  })
  .superRefine(({ mode, changes }, context) => {
    if (mode === "implement" && changes.length === 0)
      context.addIssue({ code: "custom", path: ["changes"], message: "an implementation names at least one changed file" });
  });

export const implementationPayload = z.object({
  task_id: taskId,
  ...implementationAnswer.shape,
  baseline: list(checkRecord, 1),
  /** Row numbers in the ledger. */
  ledger_entries: list(count).default([]),
});
export type ImplementationPayload = z.output<typeof implementationPayload>;

function isShort(script: string): boolean {
  const lines = script.split("\n").filter((line) => line.trim() !== "").length;
  return lines >= 3 && lines <= 5;
}
