import type { Failure } from "@slipway/durable/errors";

export function nextActions({ details }: Failure): readonly string[] {
  const actions = details["suggested_next_actions"];
  return Array.isArray(actions) ? actions.map(String) : [];
}
