import type { Wait } from "@slipway/kernel/change/views/board/board";
import { momentText } from "@slipway/protocols/narration/moment";
import { oneLine } from "@slipway/protocols/narration/one-line";

/** What a feature waits for, the most important words first, because the board cuts the end. */
export function waitText(feature: string, wait: Wait): string {
  switch (wait.for) {
    case "person":
      return wait.kind === "approval"
        ? `needs you: slipway approve ${feature}`
        : `needs you: slipway answer Q${wait.number} (${wait.kind})`;
    case "feature":
      return `waits for ${wait.features.join(", ")}${listed(wait.resources)}`;
    case "lock":
      return `waits for the lock ${wait.resources.join(", ")}${listed(wait.features)}`;
    case "limit":
      return `waits for ${wait.provider}'s ${wait.code === "rate_limited" ? "rate limit" : "quota"} until ${momentText(wait.until)}`;
    case "slot":
      return "waits for a free slot";
    case "landing":
      return "approved, waits to land";
  }
}

function listed(names: readonly string[]): string {
  return names.length === 0 ? "" : ` (${oneLine(names.join(", "))})`;
}
