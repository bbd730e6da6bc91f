import type { TranscriptLine } from "@slipway/agents/transcripts/line";
import type { FoundTranscript } from "./find.ts";
import { oneLine } from "@slipway/protocols/narration/one-line";

const SHOWN_LINES = 30;
const SHOWN_CHARACTERS = 4000;

export interface TranscriptOptions {
  /** Do not shorten texts. */
  readonly full: boolean;
  /** Include the client's own stream, which repeats most of the rest. */
  readonly raw: boolean;
}

/** One part of a transcript as text; empty if it is not shown. */
export function partOf(line: TranscriptLine, { full, raw }: TranscriptOptions): string[] {
  const text = (value: string) => indented(full ? value : shortened(value));
  switch (line.kind) {
    case "invocation":
      return [];
    case "sent":
      return line.repair === 0
        ? [heading("system prompt"), text(line.system), heading("prompt"), text(line.prompt)]
        : [heading(`prompt again, repair ${line.repair}`), text(line.prompt)];
    case "text":
      return [text(line.text)];
    case "tool":
      return [
        `* ${oneLine(line.name)} ${oneLine(JSON.stringify(line.input) ?? "").slice(0, 200)}: ${line.ok ? "ok" : "failed"}, ${Math.round(line.duration_ms)} ms`,
        text(line.output),
      ];
    case "usage":
      return [`  (${counted(line.usage)})`];
    case "raw":
      return raw ? [`| ${oneLine(line.line)}`] : [];
    case "answer":
      return [heading(`answer${line.repair === 0 ? "" : `, repair ${line.repair}`} (${counted(line.usage)})`), text(line.text)];
    case "refused":
      return [heading("the answer was refused"), ...line.errors.map((error) => `  - ${oneLine(error)}`)];
    case "failed":
      return [heading(`failed: ${line.failure.code}`), text(line.failure.message)];
    case "output":
      return [heading("output, made by the harness"), text(JSON.stringify(line.output, null, 2))];
    case "rejected":
      return [heading(`rejected by the harness: ${line.failure.code}`), text(line.failure.message)];
    case "ended":
      return [
        heading(line.ok ? "accepted" : `not accepted: ${line.failure?.code ?? ""}`),
        `  ${counted(line.usage)}, calls: ${line.usage.calls}`,
      ];
    case "stopped":
      return [heading("no outcome"), text(line.reason)];
  }
}

export function summaryLine({ name, provider, model, state, at, paid }: FoundTranscript): string {
  const who = oneLine(model === null ? provider : `${provider} ${model}`);
  const result = paid === null ? STATES[state] : counted(paid);
  return `${new Date(at).toISOString()}  ${oneLine(name).padEnd(30)} ${who.padEnd(24)} ${result}`;
}

export const STATES = {
  done: "done",
  "under way": "is being written",
  tried: "has no outcome",
  cut: "was cut off: its process ended in the middle",
} as const;

function counted(usage: { readonly input_tokens: number; readonly output_tokens: number; readonly cost_usd: number }): string {
  return `${usage.input_tokens} tokens in, ${usage.output_tokens} out, $${usage.cost_usd.toFixed(4)}`;
}

function heading(text: string): string {
  return `\n== ${text}`;
}

function indented(text: string): string {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => `  ${line}`)
    .join("\n");
}

function shortened(text: string): string {
  const lines = text.slice(0, SHOWN_CHARACTERS).split("\n");
  const shown = lines.slice(0, SHOWN_LINES).join("\n");
  return shown.length === text.length ? text : `${shown}\n… ${text.length - shown.length} more characters (--full)`;
}
