import { z } from "zod";
import { answeredDecisions, decisionRecords } from "./decision.ts";
import { line, list, path, text } from "./fields.ts";

const update = z.object({ topic: line, text });
/** One `store_memory` call, for later runs. */
const memory = z.object({ topic: line, text });
const metric = z.object({ metric: line, value: line });
const instructionChange = z.object({
  path: path.refine((name) => name.startsWith(".github/instructions/"), "an instruction file lies below .github/instructions/"),
  text,
  /** Whether the change weakens an existing security check. */
  weakens: z.boolean(),
});

const learned = {
  knowledge_updates: list(update),
  memories: list(memory).default([]),
  instruction_changes: list(instructionChange).default([]),
  retrospective: list(metric).default([]),
};

export const knowledgeAnswer = z.object({ summary: text, ...learned, decisions: answeredDecisions(0).default([]) });
export const knowledgePayload = z.object({ summary: text, ...learned, decisions: decisionRecords(0) });
export type KnowledgePayload = z.output<typeof knowledgePayload>;
