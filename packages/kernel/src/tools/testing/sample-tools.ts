import { z } from "zod";
import type { ServedTool, ServedTools } from "../dispatch.ts";
import { DOCUMENT_DEFINITIONS } from "../documents.ts";
import { failureSchema } from "../envelope.ts";
import { serve } from "../published-tool.ts";
import { tool, type AnyTool, type ToolCall } from "../tool.ts";

const feature_id = z.string().regex(/^[a-z_]+$/);

/** Three tools that return their input, under names of the catalog. */
export function sampleTools(seen: (call: ToolCall, input: unknown) => void = () => undefined): AnyTool[] {
  return [
    tool({
      name: "plan.get",
      kind: "read",
      description: "A sample read tool.",
      input: z.strictObject({ feature_id }),
      output: z.strictObject({ feature_id, plan: z.unknown() }),
      async call(_kernel, input, call) {
        seen(call, input);
        return { data: { feature_id: input.feature_id, plan: null } };
      },
    }),
    tool({
      name: "feature.log_append",
      kind: "mutating",
      description: "A sample mutating tool.",
      input: z
        .strictObject({ feature_id, text: z.string().min(1), tags: z.array(z.string()).default([]) })
        .refine(({ text }) => text !== "nothing", { error: "must say something", path: ["text"] }),
      output: z.strictObject({ tags: z.array(z.string()) }),
      async call(_kernel, input, call) {
        seen(call, input);
        return { data: { tags: input.tags }, evidence: { log_path: "log.txt", exit_code: 0 } };
      },
    }),
    tool({
      name: "feature.state_patch",
      kind: "mutating",
      description: "A sample tool that demands a version.",
      input: z.strictObject({ feature_id }),
      output: z.strictObject({}),
      async call(_kernel, input, call) {
        seen(call, input);
        return { data: {} };
      },
    }),
  ];
}

export function served(tools: readonly AnyTool[]): ServedTools {
  const byName = new Map(tools.map((definition) => [definition.name, serve(definition)] as [string, ServedTool]));
  return { byName, failure: failureSchema, documents: DOCUMENT_DEFINITIONS };
}
