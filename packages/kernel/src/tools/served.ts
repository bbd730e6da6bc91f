import type { ServedTool } from "./dispatch.ts";
import { checkFor, commonFields, inputSchemaOf, outputSchemaOf, type JsonSchema } from "./schemas.ts";
import type { AnyTool } from "./tool.ts";

/** A tool with the schemas a caller is shown; without any, those its own definition gives. */
export function serve(
  definition: AnyTool,
  shown: { readonly input: JsonSchema; readonly output: JsonSchema } = {
    input: inputSchemaOf(definition),
    output: outputSchemaOf(definition),
  },
): ServedTool {
  return { definition, common: commonFields(definition), input: checkFor(shown.input), output: checkFor(shown.output) };
}
