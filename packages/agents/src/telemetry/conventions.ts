import type { Usage } from "../usage.ts";
import type { InvocationFacts } from "../invocation-book.ts";
import type { Moment } from "../transcripts/line.ts";

type Attributes = Record<string, string | number | boolean>;

/**
 * Names of OpenTelemetry's conventions for generative AI (development status, as of 1.41). Spans contain no prompts or answers, because
 * those contain the user's code; the transcript has them.
 */
export function agentAttributes({ role, run, step, subject, attempt, provider, model }: InvocationFacts): Attributes {
  return {
    "gen_ai.operation.name": "invoke_agent",
    "gen_ai.provider.name": vendorOf(provider, model),
    "gen_ai.agent.name": role,
    "gen_ai.conversation.id": `${run}/${step}`,
    "gen_ai.output.type": "json",
    ...(model === null ? {} : { "gen_ai.request.model": model }),
    "slipway.run.id": run,
    "slipway.step.name": step,
    "slipway.subject": subject,
    "slipway.attempt": attempt,
    "slipway.provider": provider,
  };
}

export function chatAttributes({ provider, model }: InvocationFacts, repair: number): Attributes {
  return {
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": vendorOf(provider, model),
    "gen_ai.output.type": "json",
    ...(model === null ? {} : { "gen_ai.request.model": model }),
    "slipway.repair": repair,
  };
}

export function toolAttributes({ name }: Moment & { kind: "tool" }): Attributes {
  return { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name, "gen_ai.tool.type": "function" };
}

export function usageAttributes({
  input_tokens,
  output_tokens,
  cost_usd,
  model,
}: Pick<Usage, "input_tokens" | "output_tokens" | "cost_usd" | "model">): Attributes {
  return {
    "gen_ai.usage.input_tokens": input_tokens,
    "gen_ai.usage.output_tokens": output_tokens,
    ...(model === null ? {} : { "gen_ai.response.model": model }),
    "slipway.cost_usd": cost_usd,
  };
}

/** The conventions' names of model vendors. */
const VENDORS: Readonly<Record<string, string>> = {
  claude: "anthropic",
  anthropic: "anthropic",
  codex: "openai",
  openai: "openai",
  gemini: "gcp.gemini",
  google: "gcp.gemini",
};

/** An API model is named `<endpoint>/<model>`. */
export function vendorOf(provider: string, model: string | null): string {
  const name = provider === "api" ? (model?.split("/")[0] ?? provider) : provider;
  return VENDORS[name] ?? name;
}
