import type { JournalEvent } from "@slipway/durable/chain";
import type { Telemetry } from "../telemetry.ts";

/** One line of a run's journal.jsonl, a projection for people and their tools. Slipway reads the file only to append to it. */
export interface LogLine {
  readonly timestamp: string;
  readonly event: string;
  readonly data: { readonly stream: string; readonly seq: number; readonly name: string; readonly [field: string]: unknown };
}

export const INVOCATION = "agent.invoke";

/** A longer payload is in the journal: `slipway journal show`. */
const LONGEST_PAYLOAD = 4096;

export function lineOf(event: JournalEvent, paid: Telemetry | null): LogLine {
  const { stream, seq, name, key, kind, at, payload } = event;
  const place = { stream, seq, name, ...(key === null ? {} : { key }) };
  const timestamp = new Date(at).toISOString();
  if (paid !== null) return { timestamp, event: "model_call", data: { ...place, ...callOf(paid) } };
  return { timestamp, event: kind, data: { ...place, ...contentOf(payload) } };
}

function callOf({ role, feature_id, provider, model, ...row }: Telemetry) {
  return {
    role,
    feature: feature_id,
    provider,
    model,
    tokensIn: row.input_tokens,
    tokensOut: row.output_tokens,
    costUsd: row.cost_usd,
    durationMs: row.duration_ms,
    calls: row.calls,
    transcript: row.transcript_digest,
  };
}

function contentOf(payload: string): { readonly payload?: unknown; readonly payload_characters?: number } {
  return payload.length <= LONGEST_PAYLOAD
    ? { payload: JSON.parse(payload, withoutToken) as unknown }
    : { payload_characters: payload.length };
}

/** Removes approval tokens: unlike the journal, this file may be shown to agents. */
function withoutToken(field: string, value: unknown): unknown {
  return /token$/i.test(field) && typeof value === "string" ? "[token]" : value;
}
