import type { ModelRequest, ModelUsage, ScriptedAnswer } from "./script.ts";
import type { Reply, ReplyPart } from "./wire.ts";

export type Spoken = Extract<ScriptedAnswer, { text?: string; toolCalls?: unknown } | { output: unknown } | { refusal: string }>;

export const DEFAULT_USAGE: ModelUsage = { input: 100, output: 20, cached: 0, cacheWritten: 0 };

/** Tools that clients use for structured answers instead of the wire's own feature. */
const ANSWER_TOOLS = ["StructuredOutput", "json"];

export function replyFor(answer: Spoken, request: ModelRequest, id: string): Reply {
  const parts = partsOf(answer, request, id);
  return { id, model: request.model, parts, stop: stopOf(answer, parts), usage: { ...DEFAULT_USAGE, ...answer.usage } };
}

function partsOf(answer: Spoken, request: ModelRequest, id: string): ReplyPart[] {
  if ("refusal" in answer) return [{ kind: "refusal", text: answer.refusal }];
  if ("output" in answer) {
    const tool = request.tools.find(({ name }) => ANSWER_TOOLS.includes(name));
    if (tool !== undefined) return [call(tool.name, answer.output, request, `${id}_0`)];
    return [{ kind: "text", text: JSON.stringify(answer.output) }];
  }
  const said: ReplyPart[] = answer.text === undefined || answer.text === "" ? [] : [{ kind: "text", text: answer.text }];
  if (!("toolCalls" in answer)) return said.length > 0 ? said : [{ kind: "text", text: "" }];
  return [...said, ...answer.toolCalls.map(({ name, input }, index) => call(name, input, request, `${id}_${index}`))];
}

function call(name: string, input: unknown, { tools }: ModelRequest, id: string): ReplyPart {
  const tool = tools.find((offered) => offered.name === name);
  return { kind: "call", id, name, input, freeform: tool?.freeform ?? false, namespace: tool?.namespace ?? null };
}

function stopOf(answer: Spoken, parts: readonly ReplyPart[]): Reply["stop"] {
  if ("refusal" in answer) return "refusal";
  if ("stop" in answer && answer.stop === "length") return "length";
  return parts.some(({ kind }) => kind === "call") ? "tools" : "end";
}
