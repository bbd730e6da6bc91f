import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Clock } from "@slipway/durable/environment";
import { SlipwayError } from "../errors.ts";
import type { Provider, ProviderReply, ProviderRequest } from "../provider.ts";
import type { Role } from "../role.ts";
import { NATIVE_TOOLS } from "../tools/native-tools.ts";

export const PLANNER: Role = { name: "planner", tier: "strong", tools: [], write_grant: "none", output: "PLAN", prompt: "You plan." };

/** Everything but a shell. */
export const FILE_TOOLS = NATIVE_TOOLS.filter((tool) => tool !== "run");

export const REQUEST: ProviderRequest = {
  role: "planner",
  tools: FILE_TOOLS,
  subject: "greeting",
  attempt: "1",
  repair: 0,
  system: "You plan.",
  prompt: "Plan the greeting.",
  promptDigest: "a".repeat(64),
  schema: { type: "object" },
  model: null,
  input: {
    role: "planner",
    feature_id: "greeting",
    context_bundle: [{ title: "specification", kind: "spec", text: "Greet." }],
    instructions: "Plan the greeting.",
    last_tool_results: "none",
    provider: "custom",
    model: null,
    provider_config_ref: null,
  },
  workplace: null,
  timeoutMs: 60_000,
};

export const NEVER: AbortSignal = new AbortController().signal;

export const scratch = (name: string) => mkdtempSync(join(tmpdir(), `slipway-${name}-`));

/** A clock that advances ten milliseconds per read. */
export function tickingClock(): Clock {
  let now = 0;
  return { now: () => 1_700_000_000_000, monotonic: () => (now += 10) };
}

export type Scripted = string | Error | Partial<ProviderReply>;

/** A scripted model that records its requests. */
export function scripted(...answers: readonly Scripted[]): Provider & { readonly asked: ProviderRequest[] } {
  const asked: ProviderRequest[] = [];
  return {
    name: "scripted",
    works: "prompt",
    asked,
    invoke(request) {
      const answer = answers[asked.push(request) - 1];
      if (answer === undefined) throw new SlipwayError("internal_error", "The script has no further answer.");
      if (answer instanceof Error) return Promise.reject(answer);
      const reply = typeof answer === "string" ? { text: answer } : answer;
      return Promise.resolve({ text: "", model: "scripted-1", usage: { input_tokens: 100, output_tokens: 10, cost_usd: 0.5 }, ...reply });
    },
  };
}

export async function refusalOf(run: () => unknown): Promise<SlipwayError> {
  try {
    await run();
  } catch (error) {
    if (error instanceof SlipwayError) return error;
    throw error;
  }
  throw new Error("It was accepted.");
}
