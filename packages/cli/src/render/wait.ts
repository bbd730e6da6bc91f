import type { Wait } from "@slipway/kernel/change/views/board/board";
import { oneLine } from "./one-line.ts";

/** What a feature waits for, in a few words: the most telling ones first, because a board cuts the end off. */
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
      return "waits for a free place";
    case "landing":
      return "approved, waits to land";
  }
}

const DAY_MS = 24 * 3_600_000;
const two = (number: number) => String(number).padStart(2, "0");

/** The time of day here, with the date when it is not soon. */
export function momentText(at: number, now = Date.now()): string {
  const moment = new Date(at);
  const time = `${two(moment.getHours())}:${two(moment.getMinutes())}`;
  return at - now < DAY_MS ? time : `${moment.getFullYear()}-${two(moment.getMonth() + 1)}-${two(moment.getDate())} ${time}`;
}

function listed(names: readonly string[]): string {
  return names.length === 0 ? "" : ` (${oneLine(names.join(", "))})`;
}
