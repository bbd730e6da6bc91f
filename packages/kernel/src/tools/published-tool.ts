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
  // Compiled on first use: most tools are listed but never called, and compiling schemas dominates the start of a server.
  const [input, output] = [once(() => checkFor(shown.input)), once(() => checkFor(shown.output))];
  return {
    definition,
    common: commonFields(definition),
    get input() {
      return input();
    },
    get output() {
      return output();
    },
  };
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
