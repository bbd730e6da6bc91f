import type { IncomingHttpHeaders } from "node:http";

export type WireName = "anthropic" | "responses" | "chat" | "gemini";

/** What the model was asked, in one shape whatever the wire. */
export interface ModelRequest {
  readonly wire: WireName;
  readonly model: string;
  readonly system: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ModelTool[];
  /** How often the model has answered in this conversation: 0 for its first answer. */
  readonly turn: number;
  readonly stream: boolean;
  /** The JSON Schema of the answer, where the client uses the wire's own feature. */
  readonly schema: Record<string, unknown> | null;
  readonly maxTokens: number | null;
  readonly headers: IncomingHttpHeaders;
  readonly path: string;
  /** As it came. */
  readonly body: Record<string, unknown>;
}

export interface ModelMessage {
  readonly role: "user" | "assistant" | "tool";
  readonly text: string;
  readonly toolCalls: readonly { readonly id: string; readonly name: string; readonly input: unknown }[];
  readonly toolResults: readonly { readonly id: string; readonly output: string; readonly error: boolean }[];
}

export interface ModelTool {
  readonly name: string;
  readonly schema: Record<string, unknown>;
  /** Takes free text instead of JSON (Codex's apply_patch). */
  readonly freeform: boolean;
  /** Codex groups the tools of an MCP server. */
  readonly namespace: string | null;
}

export interface ModelUsage {
  /** All of the prompt, cached or not. */
  readonly input: number;
  readonly output: number;
  readonly cached: number;
  readonly cacheWritten: number;
}

export type FailureKind = "rate_limit" | "quota" | "auth" | "overloaded" | "context" | "server" | "bad_request" | "unknown_model";

interface Shaped {
  readonly usage?: Partial<ModelUsage>;
  /** The connection breaks after so many bytes of the body. */
  readonly truncate?: number;
  /** The body ends politely after so many bytes, as if that were all. */
  readonly endAfter?: number;
  /** The connection stays open and silent after so many bytes of the body. */
  readonly hangAfter?: number;
}

export type ScriptedAnswer =
  | ({ readonly text: string; readonly stop?: "length" } & Shaped)
  | ({ readonly toolCalls: readonly ScriptedCall[]; readonly text?: string } & Shaped)
  /** A structured answer: through the client's own answer tool where it has one (Claude Code), otherwise as JSON text. */
  | ({ readonly output: unknown } & Shaped)
  | ({ readonly refusal: string } & Shaped)
  /** What the vendor really sends in such a case. */
  | { readonly failure: FailureKind; readonly retryAfterSeconds?: number; readonly inStream?: boolean }
  /** This very answer. */
  | { readonly error: number; readonly body?: unknown; readonly headers?: Record<string, string> }
  /** Nothing, until the client goes away. */
  | { readonly hang: true };

export interface ScriptedCall {
  readonly name: string;
  readonly input: unknown;
}

export type Script = (request: ModelRequest) => ScriptedAnswer | Promise<ScriptedAnswer>;

/** One answer after the other, whoever asks; the last one stays. */
export function inOrder(...answers: readonly [ScriptedAnswer, ...ScriptedAnswer[]]): Script {
  let next = 0;
  return () => answers[Math.min(next++, answers.length - 1)]!;
}

/** One answer after the other within one conversation; the last one stays. */
export function byTurn(...answers: readonly [ScriptedAnswer, ...ScriptedAnswer[]]): Script {
  return ({ turn }) => answers[Math.min(turn, answers.length - 1)]!;
}

/** What came back from the tools in the last message. */
export function lastResults({ messages }: ModelRequest): readonly string[] {
  return messages.at(-1)?.toolResults.map(({ output }) => output) ?? [];
}

/** Everything people and tools said to the model. */
export function promptOf({ messages }: ModelRequest): string {
  return messages
    .filter(({ role }) => role === "user")
    .map(({ text }) => text)
    .join("\n");
}
