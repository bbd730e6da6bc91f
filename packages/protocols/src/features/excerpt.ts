import { stripVTControlCharacters } from "node:util";

const MAX_LINES = 60;

/** The end of a log without times and temporary folders, so that the same failure gives the same text in every run. */
export function stableExcerpt(log: string): string {
  return stripVTControlCharacters(log)
    .replaceAll(/(file:\/\/)?\/[^\s"'()]*\/(?:\.worktrees|slipway\/worktrees\/[^\s/"'()]+)\/[^\s/"'()]+/g, ".")
    .replaceAll(/\b\d+(\.\d+)?\s?m?s\b/g, "<time>")
    .replaceAll(/(duration_ms|time)([=: ]+"?)\d+(\.\d+)?/g, "$1$2<time>")
    .trimEnd()
    .split("\n")
    .slice(-MAX_LINES)
    .join("\n");
}
