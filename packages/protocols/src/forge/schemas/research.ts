import { z } from "zod";
import { focusName, line, list, path, text } from "./fields.ts";

const finding = z.object({ title: line, detail: text, files: list(path).default([]) });

export const researchAnswer = z.object({ summary: text, findings: list(finding, 1), open_questions: list(text).default([]) });
export const researchPayload = z.object({ focus: focusName, ...researchAnswer.shape });
export type ResearchPayload = z.output<typeof researchPayload>;
