import { stripVTControlCharacters } from "node:util";

const MAX_LINES = 60;

/** The end of a log, without the folder of the worktree. */
export function excerpt(log: string): string {
  return stripVTControlCharacters(log)
    .replaceAll(/(file:\/\/)?\/[^\s"'()]*\/(?:\.worktrees|slipway\/worktrees\/[^\s/"'()]+)\/[^\s/"'()]+/g, ".")
    .trimEnd()
    .split("\n")
    .slice(-MAX_LINES)
    .join("\n");
}

/** The same without times, so that the same failure has the same digest in every run. Nobody reads it: a time may be what was expected. */
export function stableExcerpt(log: string): string {
  return excerpt(log)
    .replaceAll(/\b\d+(\.\d+)?\s?m?s\b/g, "<time>")
    .replaceAll(/(duration_ms|time)([=: ]+"?)\d+(\.\d+)?/g, "$1$2<time>");
}
