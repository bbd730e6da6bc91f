import type { IncomingHttpHeaders } from "node:http";

export type WireName = "anthropic" | "responses" | "chat" | "gemini";

/** A request to the model in one shape for all wires. */
export interface ModelRequest {
  readonly wire: WireName;
  readonly model: string;
  readonly system: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ModelTool[];
  /** Number of earlier answers in this conversation. */
  readonly turn: number;
  readonly stream: boolean;
  /** The JSON Schema of the answer, if the client uses the wire's own feature. */
  readonly schema: Record<string, unknown> | null;
  readonly maxTokens: number | null;
  readonly headers: IncomingHttpHeaders;
  readonly path: string;
  /** The raw body. */
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
  /** The connection breaks after this many bytes of the body. */
  readonly truncate?: number;
  /** The body ends normally after this many bytes. */
  readonly endAfter?: number;
  /** The connection stays open and silent after this many bytes of the body. */
  readonly hangAfter?: number;
}

export type ScriptedAnswer =
  | ({ readonly text: string; readonly stop?: "length" } & Shaped)
  | ({ readonly toolCalls: readonly ScriptedCall[]; readonly text?: string } & Shaped)
  /** A structured answer: through the client's own answer tool if it has one (Claude Code), otherwise as JSON text. */
  | ({ readonly output: unknown } & Shaped)
  | ({ readonly refusal: string } & Shaped)
  /** The vendor's real reply for this failure. */
  | { readonly failure: FailureKind; readonly retryAfterSeconds?: number; readonly inStream?: boolean }
  /** This exact reply. */
  | { readonly error: number; readonly body?: unknown; readonly headers?: Record<string, string> }
  /** No reply until the client disconnects. */
  | { readonly hang: true };

export interface ScriptedCall {
  readonly name: string;
  readonly input: unknown;
}

export type Script = (request: ModelRequest) => ScriptedAnswer | Promise<ScriptedAnswer>;

/** One answer per request, across conversations; the last one repeats. */
export function inOrder(...answers: readonly [ScriptedAnswer, ...ScriptedAnswer[]]): Script {
  let next = 0;
  return () => answers[Math.min(next++, answers.length - 1)]!;
}

/** One answer per turn of a conversation; the last one repeats. */
export function byTurn(...answers: readonly [ScriptedAnswer, ...ScriptedAnswer[]]): Script {
  return ({ turn }) => answers[Math.min(turn, answers.length - 1)]!;
}

/** The tool results in the last message. */
export function lastResults({ messages }: ModelRequest): readonly string[] {
  return messages.at(-1)?.toolResults.map(({ output }) => output) ?? [];
}

/** All texts of people and tools. */
export function promptOf({ messages }: ModelRequest): string {
  return messages
    .filter(({ role }) => role === "user")
    .map(({ text }) => text)
    .join("\n");
}
