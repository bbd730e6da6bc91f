const PLACEHOLDER =
  /^(?:t\.?b\.?[dac]\.?|to[- ]?do|fix ?me|to be (?:defined|determined|decided|done|specified)|n\.?\/?a\.?|not applicable|placeholder|undecided|x{3,}|\?+|\.{2,}|…|-+|_+|<[^>]*>)[.!]?$/i;

/** A text that stands where something should be said. "none" is an answer; "n/a" and "TBD" are not. */
export function isPlaceholder(text: string): boolean {
  const said = text.trim();
  return said === "" || PLACEHOLDER.test(said);
}
