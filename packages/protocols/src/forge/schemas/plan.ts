import { z } from "zod";
import { answeredDecisions, decisionRecords } from "./decision.ts";
import { risk } from "./enums.ts";
import { list, taskId, text } from "./fields.ts";
import { taskSchema } from "./task.ts";

const planned = {
  summary: text,
  tasks: list(taskSchema, 1),
  /** Task ids: each list is one wave. */
  waves: list(list(taskId, 1), 1),
  overall_risk_summary: risk,
};

export const planAnswer = z.object({ ...planned, decisions: answeredDecisions(0).default([]) });
export const planPayload = z.object({ ...planned, decisions: decisionRecords(0) });
export type PlanPayload = z.output<typeof planPayload>;
/** What the rules read: as the planner answered it, or as it is on disk. */
export type ForgePlan = Pick<PlanPayload, "tasks" | "waves" | "overall_risk_summary">;
