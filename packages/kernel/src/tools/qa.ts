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
    .describe("What is not passed or waived yet, by file and hunk, with the gate steps (`<mode>:<step>`) that have to show it."),
});

export const qaTools = [
  tool({
    name: "qa.test_index_get",
    kind: "read",
    description:
      "Returns the QA index of a feature: one item for every hunk of its change against the base, with its status and the gate steps that have " +
      "to show that it works; the counts per status; and what is still to be done, grouped by file and hunk. Read it before testing: it is " +
      "all a tester without an earlier conversation needs. Before the first patch it is empty and has version 0.",
    input: z.strictObject({ feature_id: z.string().min(1).describe("The feature's id.") }),
    output: qaViewSchema,
    call: async (kernel, { feature_id }) => ({ data: qaViewSchema.parse(await kernel.features.qaIndex(feature_id)) }),
  }),
  tool({
    name: "qa.test_index_update",
    kind: "mutating",
    description: [
      "Records what a batch of tests has shown: the new status of hunks in the QA index, with references to the evidence. Call it after every batch.",
      "All updates are made, or none. passed, failed and waived need the hunks they are said of, exactly as the index has them; a path or hunk that is not there refuses the whole batch with schema_validation_failed.",
      "expected_version is the version of the index you have read; if it has changed since, for example by a patch, the call fails with qa_index_version_conflict and changes nothing: read it again.",
      "The index says what was tested; whether a gate passed is decided by gates.run alone.",
    ].join(" "),
    input: qaUpdateInput,
    output: qaViewSchema,
    async call(kernel, input, { actor, operationId }) {
      return { data: qaViewSchema.parse(await kernel.features.updateQaIndex({ actor, operationId }, input)) };
    },
  }),
];
