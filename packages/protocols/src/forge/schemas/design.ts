import { z } from "zod";
import { answeredDecisions, decisionRecords } from "./decision.ts";
import { line, list, path, text, uniqueBy } from "./fields.ts";

const component = z.object({ name: line, responsibility: text, files: list(path).default([]) });
const components = list(component)
  .default([])
  .superRefine(uniqueBy(({ name }) => name, "component"));

export const designAnswer = z.object({ summary: text, decisions: answeredDecisions(1), components });
export const designPayload = z.object({ summary: text, decisions: decisionRecords(1), components });
export type DesignPayload = z.output<typeof designPayload>;
