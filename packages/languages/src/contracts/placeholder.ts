const PLACEHOLDER =
  /^(?:t\.?b\.?[dac]\.?|to[- ]?do|fix ?me|to be (?:defined|determined|decided|done|specified)|n\.?\/?a\.?|not applicable|placeholder|undecided|x{3,}|\?+|\.{2,}|…|-+|_+|<[^>]*>)[.!]?$/i;

/** A text without content. "none" is an answer; "n/a" and "TBD" are not. */
export function isPlaceholder(text: string): boolean {
  const trimmed = text.trim();
  return trimmed === "" || PLACEHOLDER.test(trimmed);
}
