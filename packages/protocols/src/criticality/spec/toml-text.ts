/** A basic string of TOML. JSON escapes all it must, except DEL; a lone surrogate has no form in TOML. */
export function tomlString(text: string): string {
  return JSON.stringify(text.toWellFormed()).replaceAll("\u007f", "\\u007f");
}

/** One entry per line, so that a change of one entry changes one line. */
export function tomlList(entries: readonly string[]): string {
  return entries.length === 0 ? "[]" : `[\n${entries.map((entry) => `  ${entry},\n`).join("")}]`;
}

export function tomlStrings(texts: readonly string[]): string {
  return tomlList(texts.map(tomlString));
}
