import { z } from "zod";

/** How a coding agent's command line client is started here; everything may be left out. */
const client = z.strictObject({
  /** The program, where it is not on the PATH under its own name. */
  command: z.array(z.string().min(1)).min(1).optional(),
  timeout_seconds: z.number().positive().optional(),
  /** Where its models are reached, if not at their maker's. */
  base_url: z.url().optional(),
});

export const clientsPart = {
  claude: client.optional(),
  codex: client.optional(),
  gemini: client.optional(),
  opencode: client.optional(),
};
