import type { Wait } from "@slipway/kernel/glance/glance";
import { oneLine } from "./plain.ts";

/** What a feature waits for, in a few words: the most telling ones first, because a board cuts the end off. */
export function waitText(wait: Wait): string {
  switch (wait.for) {
    case "person":
      return wait.kind === "approval" ? "waits for your approval" : "waits for your answer";
    case "feature":
      return `waits for ${wait.features.join(", ")}${listed(wait.resources)}`;
    case "lock":
      return `waits for the lock ${wait.resources.join(", ")}${listed(wait.features)}`;
    case "slot":
      return "waits for a free place";
    case "landing":
      return "approved, waits to land";
  }
}

function listed(names: readonly string[]): string {
  return names.length === 0 ? "" : ` (${oneLine(names.join(", "))})`;
}
