import { z } from "zod";
import { brokenBy, quotaIn } from "./vendor-extensions.ts";
import type { AgentEvent } from "../provider.ts";
import { usageOf, type ReplyUsage } from "../usage.ts";

/** The state of one turn. */
export interface AcpTurn {
  /** Handles a `session/update`; unknown ones are ignored. */
  take(params: unknown): void;
  /** The text after the last tool call; earlier text is not part of the answer. */
  answer(): string;
  usage(promptReply: unknown): ReplyUsage;
  /** Whether the agent marks its last text as an error. */
  broken(): boolean;
}

export interface TurnOptions {
  readonly maxTextCharacters: number;
  readonly onTooLong: () => void;
  /** An error that the agent will retry itself. */
  readonly onRetry: (error: string) => void;
  readonly onEvent: (event: AgentEvent) => void;
  readonly now: () => number;
}

const chunk = z.object({
  sessionUpdate: z.literal("agent_message_chunk"),
  content: z.object({ type: z.literal("text"), text: z.string() }),
});
const toolFields = { toolCallId: z.string(), title: z.string().nullish(), name: z.string().nullish(), status: z.string().nullish() };
const tool = z.looseObject({ sessionUpdate: z.enum(["tool_call", "tool_call_update"]), ...toolFields });
const spent = z.object({
  sessionUpdate: z.literal("usage_update"),
  used: z.number().min(0),
  cost: z.object({ amount: z.number().min(0), currency: z.string() }).nullish(),
});
const info = z.looseObject({ sessionUpdate: z.literal("session_info_update") });
const update = z.object({ update: z.discriminatedUnion("sessionUpdate", [chunk, tool, spent, info]) });
const counted = z.object({
  usage: z.object({
    totalTokens: z.int().min(0),
    inputTokens: z.int().min(0),
    outputTokens: z.int().min(0),
    cachedReadTokens: z.int().min(0).nullish(),
    cachedWriteTokens: z.int().min(0).nullish(),
  }),
});
type ToolUpdate = z.output<typeof tool>;
type Counted = z.output<typeof counted>["usage"];

export function openTurn({ maxTextCharacters, onTooLong, onRetry, onEvent, now }: TurnOptions): AcpTurn {
  const tools = new Map<string, { readonly seen: Partial<ToolUpdate>; readonly since: number }>();
  let parts: string[] = [];
  let length = 0;
  let answerText = "";
  let context = 0;
  let cost = 0;
  let isBroken = false;

  function flush(): void {
    const text = parts.join("");
    [parts, length] = [[], 0];
    if (text.trim() === "") return;
    answerText = text;
    onEvent({ kind: "text", text });
  }

  function takeTool(next: ToolUpdate): void {
    flush();
    const { seen, since } = tools.get(next.toolCallId) ?? { seen: {}, since: now() };
    const call = { ...seen, ...Object.fromEntries(Object.entries(next).filter(([, value]) => value != null)) };
    if (next.status !== "completed" && next.status !== "failed") return void tools.set(next.toolCallId, { seen: call, since });
    tools.delete(next.toolCallId);
    onEvent({
      kind: "tool",
      name: call.name ?? call.title ?? "tool",
      input: call["rawInput"] ?? { title: call.title ?? null, kind: call["kind"] ?? null },
      output: JSON.stringify(call["rawOutput"] ?? call["content"] ?? ""),
      ok: next.status === "completed",
      duration_ms: Math.round(now() - since),
    });
  }

  return {
    take(params) {
      const parsed = update.safeParse(params);
      if (!parsed.success) return;
      const { update: one } = parsed.data;
      if (one.sessionUpdate === "agent_message_chunk") {
        length += one.content.text.length;
        if (length > maxTextCharacters) return onTooLong();
        parts.push(one.content.text);
      } else if (one.sessionUpdate === "usage_update") {
        context = Math.max(context, Math.ceil(one.used));
        if (one.cost?.currency === "USD") cost = one.cost.amount;
      } else if (one.sessionUpdate === "session_info_update") {
        const { broken, error } = brokenBy(one);
        isBroken ||= broken;
        if (error !== null) onRetry(error);
      } else takeTool(one);
    },
    answer() {
      flush();
      return answerText;
    },
    broken: () => isBroken,
    usage(promptReply) {
      const parsed = counted.safeParse(promptReply);
      const before = quotaIn(promptReply)?.token_count ?? { input_tokens: context, output_tokens: 0 };
      return parsed.success ? usageIn(parsed.data.usage, cost) : { ...before, cost_usd: cost };
    },
  };
}

/** Cache reads and writes are part of the total and, with some agents, also of the input. */
function usageIn({ totalTokens, inputTokens, outputTokens, cachedReadTokens, cachedWriteTokens }: Counted, cost_usd: number): ReplyUsage {
  return usageOf({
    input_tokens: Math.max(inputTokens, totalTokens - outputTokens),
    output_tokens: outputTokens,
    cached_input_tokens: cachedReadTokens ?? 0,
    cache_write_tokens: cachedWriteTokens ?? 0,
    cost_usd,
  });
}
