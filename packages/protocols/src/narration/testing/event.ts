import type { JournalEvent } from "@slipway/durable/chain";

/** A journal event of the feature `letters`, with what matters for a test. */
export function event(parts: { stream?: string; seq?: number; kind: string; name: string; payload?: unknown }): JournalEvent {
  const { stream = "2026-01-01_letters/feature:letters", seq = 1, kind, name, payload = {} } = parts;
  return { stream, seq, kind, name, key: null, at: 0, payload: JSON.stringify(payload), prev: "", hash: "" };
}
