import { z } from "zod";
import { qaUpdateInput } from "../change/judge/qa-operations.ts";
import { hunkSchema, QA_STATUSES, qaTestIndex } from "../change/judge/qa/schema.ts";
import { tool } from "./tool.ts";

const count = z.int().min(0);

const qaViewSchema = z.strictObject({
  index: qaTestIndex,
  counts: z.strictObject({ pending: count, running: count, passed: count, failed: count, waived: count }),
  pending: z
    .array(
      z.strictObject({
        path: z.string(),
        hunks: z.array(hunkSchema.extend({ status: z.enum(QA_STATUSES), required_tests: z.array(z.string()) })),
      }),
    )
    .describe("Hunks that are not passed or waived yet, by file, with the gate steps (`<mode>:<step>`) that must cover them."),
});

export const qaTools = [
  tool({
    name: "qa.test_index_get",
    kind: "read",
    description:
      "Returns the QA index of a feature: one item for every hunk of its change against the base, with its status and the gate steps that must " +
      "cover it; the counts per status; and the open hunks, grouped by file. Read it before testing: it is " +
      "all a tester without an earlier conversation needs. Before the first patch it is empty and has version 0.",
    input: z.strictObject({ feature_id: z.string().min(1).describe("The feature's id.") }),
    output: qaViewSchema,
    call: async (kernel, { feature_id }) => ({ data: qaViewSchema.parse(await kernel.features.qaIndex(feature_id)) }),
  }),
  tool({
    name: "qa.test_index_update",
    kind: "mutating",
    description: [
      "Records the results of a batch of tests: the new status of hunks in the QA index, with references to the evidence. Call it after every batch.",
      "All updates are applied, or none. passed, failed and waived need their hunks, exactly as the index has them; an unknown path or hunk refuses the whole batch with schema_validation_failed.",
      "expected_version is the version of the index you have read; if it has changed since, for example by a patch, the call fails with qa_index_version_conflict and changes nothing: read it again.",
      "The index records what was tested; only gates.run decides whether a gate passed.",
    ].join(" "),
    input: qaUpdateInput,
    output: qaViewSchema,
    async call(kernel, input, { actor, operationId }) {
      return { data: qaViewSchema.parse(await kernel.features.updateQaIndex({ actor, operationId }, input)) };
    },
  }),
];
