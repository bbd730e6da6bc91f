import { z } from "zod";
import { productSpecSchema } from "../spec.ts";

const MAX_CALLS = 8;
const DEFAULT_RESULTS = 10;
const text = z.string().min(1);

const webSearch = z.strictObject({ tool: z.literal("web_search"), query: text, max_results: z.int().min(1).default(DEFAULT_RESULTS) });

const readFile = z.strictObject({ tool: z.literal("read_file"), path: text.describe("Relative to the workspace.") });

const writeFile = z.strictObject({ tool: z.literal("write_file"), path: text, content: z.string() });

const validate = z.strictObject({ tool: z.literal("validate_spec"), spec_path: text.describe("The JSON draft you have written.") });

const codeIndexQuery = z.strictObject({
  query: text.describe("What a module should do."),
  tags: z.array(text).optional(),
  input_types: z.array(text).optional(),
  output_types: z.array(text).optional(),
  include_inactive: z.boolean().default(false),
  top_k: z.int().min(1).default(DEFAULT_RESULTS),
});
export type CodeIndexQuery = z.output<typeof codeIndexQuery>;

const searchCodeIndex = codeIndexQuery.extend({ tool: z.literal("search_code_index") });

const { $schema: _dialect, ...specShape } = z.toJSONSchema(productSpecSchema, { io: "input" });

/** Shown with its full schema but accepted in any form: the tool reports all errors at once. */
const emit = z.strictObject({ tool: z.literal("emit_structured_spec"), spec: z.looseObject({}).meta(specShape) });

const toolCall = z.discriminatedUnion("tool", [webSearch, readFile, writeFile, validate, searchCodeIndex, emit]);
export type ProductToolCall = z.output<typeof toolCall>;
export type ToolName = ProductToolCall["tool"];
export type CallOf<T extends ToolName> = Extract<ProductToolCall, { tool: T }>;

/** The product owner's answer: tool calls, in order. */
export const toolCalls = z.strictObject({ calls: z.array(toolCall).min(1).max(MAX_CALLS) });
export type ToolCalls = z.output<typeof toolCalls>;
