import { z } from "zod";
import { dashboardSchema, featureSummarySchema } from "../change/views/report-schemas.ts";
import { tool } from "./tool.ts";

export const reportTools = [
  tool({
    name: "report.dashboard",
    kind: "read",
    description:
      "Returns every feature of the repository, those that have ended and those that wait for a slot included: status and its reason, held " +
      "locks, gate results, who is at work, cost, and the question that waits for a person. Use it to see where everything stands; it is cheap.",
    input: z.strictObject({}),
    output: dashboardSchema,
    call: async (kernel) => ({ data: await kernel.features.dashboard() }),
  }),
  tool({
    name: "report.feature_summary",
    kind: "read",
    description:
      "Returns one feature in short: its state, what it has changed (diff stat), the last gate run with links to its logs, and what it has cost.",
    input: z.strictObject({ feature_id: z.string().min(1).describe("The feature's id.") }),
    output: featureSummarySchema,
    call: async (kernel, input) => ({ data: await kernel.features.featureSummary(input.feature_id) }),
  }),
];
