import { z } from "zod";
import { dashboardSchema, featureSummarySchema } from "../change/views/report-schemas.ts";
import { tool } from "./tool.ts";

export const reportTools = [
  tool({
    name: "report.dashboard",
    kind: "read",
    description:
      "Returns every feature of the repository, including ended ones and those that wait for a slot: status and its reason, held " +
      "locks, gate results, the role at work, cost, and the open question for a person. Use it for an overview; it is cheap.",
    input: z.strictObject({}),
    output: dashboardSchema,
    call: async (kernel) => ({ data: await kernel.features.dashboard() }),
  }),
  tool({
    name: "report.feature_summary",
    kind: "read",
    description:
      "Returns a summary of one feature: its state, its change (diff stat), the last gate run with links to its logs, and its cost.",
    input: z.strictObject({ feature_id: z.string().min(1).describe("The feature's id.") }),
    output: featureSummarySchema,
    call: async (kernel, input) => ({ data: await kernel.features.featureSummary(input.feature_id) }),
  }),
];
