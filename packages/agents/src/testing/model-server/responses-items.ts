import type { Reply, ReplyPart } from "./wire.ts";

interface ResponseItem {
  readonly id: string;
  readonly type: string;
  readonly status: string;
  readonly arguments?: string;
  readonly input?: string;
  readonly [field: string]: unknown;
}

/** One item of a response's output. */
export function responseItem({ id }: Reply, part: ReplyPart, index: number): ResponseItem {
  const status = "completed";
  if (part.kind !== "call") {
    return { id: `msg_${id}_${index}`, type: "message", status, role: "assistant", content: [textPart(part, part.text)] };
  }
  const call_id = `call_${part.id}`;
  const { name } = part;
  if (part.freeform) {
    const input = typeof part.input === "string" ? part.input : JSON.stringify(part.input);
    return { id: `ctc_${id}_${index}`, type: "custom_tool_call", status, call_id, name, input };
  }
  const grouped = part.namespace === null ? {} : { namespace: part.namespace };
  return { id: `fc_${id}_${index}`, type: "function_call", status, call_id, name, arguments: JSON.stringify(part.input), ...grouped };
}

export function textPart(part: ReplyPart, text: string) {
  return part.kind === "refusal" ? { type: "refusal", refusal: text } : { type: "output_text", text, annotations: [], logprobs: [] };
}
