import { z } from "zod";
import { latestEvidenceSchema } from "../change/judge/latest-evidence.ts";
import { tool } from "./tool.ts";

export const evidenceTools = [
  tool({
    name: "evidence.latest",
    kind: "read",
    description:
      "Returns the last gate run of a feature as the harness saw it: profile, mode, every step with command, exit code and log path, and the end " +
      "of the decisive log. Use it to find out why a gate failed, or to prove that it passed. `gate` is null before the first run.",
    input: z.strictObject({ feature_id: z.string().min(1).describe("The feature's id.") }),
    output: latestEvidenceSchema,
    async call(kernel, { feature_id }) {
      const data = await kernel.features.latestEvidence(feature_id);
      const paths = data.gate?.steps.filter(({ status }) => status !== "skipped").map(({ log_path }) => log_path) ?? [];
      return { data, ...(data.log !== null && { evidence: { log_path: data.log.path, log_paths: paths } }) };
    },
  }),
];
