const PLAIN = /^[A-Za-z][A-Za-z0-9_-]*$/;
const WORDS_YAML_READS_OTHERWISE = /^(?:y|n|yes|no|on|off|true|false|null)$/i;

/** A scalar: plain if safe, otherwise JSON, which is valid YAML. */
export function quoted(text: string): string {
  return PLAIN.test(text) && !WORDS_YAML_READS_OTHERWISE.test(text) ? text : JSON.stringify(text);
}

/** File names may contain line breaks; a comment may not. */
export function comment(text: string): string {
  return text.replaceAll(/\p{Cc}+/gu, " ");
}

export function list(values: readonly string[]): string {
  return `[${values.map(quoted).join(", ")}]`;
}
