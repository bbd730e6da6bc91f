import type { FailureKind, ModelMessage, ModelRequest, ModelUsage } from "./script.ts";

/** An answer before it is put on the wire. */
export interface Reply {
  readonly id: string;
  readonly model: string;
  readonly parts: readonly ReplyPart[];
  readonly stop: "end" | "tools" | "length" | "refusal";
  readonly usage: ModelUsage;
}

export type ReplyPart =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "refusal"; readonly text: string }
  | {
      readonly kind: "call";
      readonly id: string;
      readonly name: string;
      readonly input: unknown;
      readonly freeform: boolean;
      readonly namespace: string | null;
    };

export interface HttpFailure {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Record<string, string>;
}

export type ReadRequest = Omit<ModelRequest, "wire" | "turn" | "headers" | "path" | "body">;

/** One vendor's format. */
export interface Wire {
  read(body: Record<string, unknown>, path: string): ReadRequest;
  whole(reply: Reply): unknown;
  /** Server-sent events, one string each. */
  events(reply: Reply): Iterable<string>;
  failure(kind: FailureKind, retryAfterSeconds: number | null): HttpFailure;
  /** The same failure after a stream has started with status 200. */
  failureEvents(kind: FailureKind, model: string): Iterable<string>;
}

export function event(name: string | null, data: unknown): string {
  return `${name === null ? "" : `event: ${name}\n`}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;
}

/** A few dozen pieces for any length, so that clients see a stream and a huge answer stays cheap. */
export function* pieces(text: string): Iterable<string> {
  const length = Math.max(16, Math.ceil(text.length / 40));
  for (let at = 0; at < text.length; at += length) yield text.slice(at, at + length);
}

export function record(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function records(value: unknown): readonly Record<string, unknown>[] {
  return list(value).map(record);
}

export function string(value: unknown): string {
  return typeof value === "string" ? value : "";
}

export function number(value: unknown): number | null {
  return typeof value === "number" ? value : null;
}

/** Content is a string or a list of parts, some with text. */
export function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  return records(content)
    .map(({ text, content: inner }) => (inner === undefined ? string(text) : textOf(inner)))
    .filter((text) => text !== "")
    .join("\n");
}

export function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
}

/** Some wires send one turn of the model, or the results of its tools, as several messages. */
export function joined(messages: readonly ModelMessage[]): ModelMessage[] {
  return messages.reduce<ModelMessage[]>((found, message) => {
    const last = found.at(-1);
    if (last === undefined || last.role !== message.role || message.role === "user") return [...found, message];
    const text = [last.text, message.text].filter((part) => part !== "").join("\n");
    const toolCalls = [...last.toolCalls, ...message.toolCalls];
    return [...found.slice(0, -1), { role: last.role, text, toolCalls, toolResults: [...last.toolResults, ...message.toolResults] }];
  }, []);
}
