import { z } from "zod";

/** Models over HTTP. The model is named `<endpoint>/<model>`, such as anthropic/claude-sonnet-4-5 or local/qwen3. */
export const apiPart = z.strictObject({
  endpoints: z
    .record(
      z.string().regex(/^[a-z][a-z0-9-]*$/),
      z.strictObject({
        kind: z.enum(["anthropic", "openai", "google", "openai-compatible"]),
        base_url: z.url().optional(),
        /** The name of the variable with the key; never the key. */
        key_env: z.string().optional(),
      }),
    )
    .prefault({}),
});
