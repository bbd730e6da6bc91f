import type { FinishReason, LanguageModelUsage, TextStreamPart, ToolSet } from "ai";
import type { Tokens } from "../prices/price.ts";
import type { AgentEvent } from "../provider.ts";
import { REFUSAL } from "./model.ts";

export interface Heard {
  /** The text since the last tool call. */
  readonly answer: string;
  /** Sum over all calls. */
  readonly tokens: Required<Tokens>;
  /** In US dollars; null when a call has no known price. */
  readonly cost: number | null;
  readonly finish: FinishReason | null;
  readonly refusal: string | null;
  readonly model: string | null;
  readonly warnings: readonly string[];
  readonly error: unknown;
}

/** Receives events during a call and counts the model's output. */
export interface Listener {
  hear(part: TextStreamPart<ToolSet>): void;
  readonly characters: number;
  heard(): Heard;
}

/** Turns the parts of a conversation into events and, at its end, into an answer. */
export function listen(onEvent: (event: AgentEvent) => void, priceOf: (call: Tokens) => number | null, monotonic: () => number): Listener {
  const blocks = new Map<string, string>();
  const begun = new Map<string, number>();
  const warnings = new Set<string>();
  let answer = "";
  let characters = 0;
  let cost: number | null = 0;
  let tokens: Required<Tokens> = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  let finish: FinishReason | null = null;
  let refusal: string | null = null;
  let model: string | null = null;
  let error: unknown = null;

  function tool(id: string, name: string, input: unknown, output: string, ok: boolean): void {
    const duration_ms = monotonic() - (begun.get(id) ?? monotonic());
    onEvent({ kind: "tool", name, input, output, ok, duration_ms });
  }

  function hear(part: TextStreamPart<ToolSet>): void {
    if (part.type === "start-step") {
      answer = "";
      part.warnings.forEach((warning) => warnings.add(warningText(warning)));
    } else if (part.type === "text-delta") {
      characters += part.text.length;
      answer += part.text;
      blocks.set(part.id, (blocks.get(part.id) ?? "") + part.text);
    } else if (part.type === "text-end") {
      const text = blocks.get(part.id) ?? "";
      blocks.delete(part.id);
      if (text !== "") onEvent({ kind: "text", text });
    } else if (part.type === "tool-call") {
      begun.set(part.toolCallId, monotonic());
    } else if (part.type === "tool-result") {
      tool(part.toolCallId, part.toolName, part.input, String(part.output), true);
    } else if (part.type === "tool-error") {
      tool(part.toolCallId, part.toolName, part.input, part.error instanceof Error ? part.error.message : String(part.error), false);
    } else if (part.type === "finish-step") {
      const step = tokensOf(part.usage);
      const price = priceOf(step);
      tokens = sum(tokens, step);
      // Per call: some prices depend on the length of a call.
      cost = cost === null || price === null ? null : cost + price;
      model = part.response.modelId || model;
      finish = part.finishReason;
      const refused = part.providerMetadata?.[REFUSAL]?.["text"];
      if (typeof refused === "string") refusal = refused;
      onEvent({ kind: "usage", usage: { input_tokens: step.input, output_tokens: step.output, cost_usd: price ?? 0 }, model });
    } else if (part.type === "error") {
      error ??= part.error ?? new Error("The endpoint reported an error without a message.");
    }
  }

  return {
    hear,
    get characters() {
      return characters;
    },
    heard: () => ({ answer, tokens, cost, finish, refusal, model, warnings: [...warnings], error }),
  };
}

export function tokensOf({ inputTokens = 0, outputTokens = 0, inputTokenDetails }: LanguageModelUsage): Required<Tokens> {
  const { cacheReadTokens = 0, cacheWriteTokens = 0 } = inputTokenDetails;
  return { input: inputTokens, output: outputTokens, cacheRead: cacheReadTokens, cacheWrite: cacheWriteTokens };
}

function sum(a: Required<Tokens>, b: Required<Tokens>): Required<Tokens> {
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
  };
}

type Warning = Extract<TextStreamPart<ToolSet>, { type: "start-step" }>["warnings"][number];

function warningText(warning: Warning): string {
  if (warning.type === "other") return warning.message;
  if (warning.type === "deprecated") return `${warning.setting}: ${warning.message}`;
  return `${warning.feature}: ${warning.details ?? warning.type}`;
}
