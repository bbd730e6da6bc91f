import { tool, type ToolSet } from "ai";
import { z } from "zod";
import type { Workplace } from "../provider.ts";

const TIMEOUT_MS = 120_000;
const MAX_CALLS = 40;

/** A shell in the sandbox, over the folder. For one conversation: the calls are counted. */
export function commandTool(exec: NonNullable<Workplace["exec"]>, signal: AbortSignal): ToolSet {
  let calls = 0;
  return {
    run_command: tool({
      description: `Runs one line of the shell in your folder, without network, for at most ${TIMEOUT_MS / 1000} seconds. At most ${MAX_CALLS} calls.`,
      inputSchema: z.strictObject({ command: z.string().min(1) }),
      execute: async ({ command }) => {
        if (++calls > MAX_CALLS) throw new Error(`There were ${MAX_CALLS} commands already; answer now.`);
        const { exit_code, output } = await exec(command, { timeoutMs: TIMEOUT_MS, signal });
        return `${exit_code === null ? "stopped" : `exit code ${exit_code}`}\n${output}`;
      },
    }),
  };
}
