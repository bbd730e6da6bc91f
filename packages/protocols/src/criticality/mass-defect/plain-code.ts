import type { LanguageId } from "@slipway/languages/adapter";

const TEXTS = String.raw`"(?:\\.|[^"\\\n])*"`;
const QUOTED = String.raw`'(?:\\.|[^'\\\n])*'`;
const C_COMMENTS = String.raw`/\*[\s\S]*?\*/|//[^\n]*`;
const TEMPLATES = "`(?:\\\\[\\s\\S]|[^`\\\\])*`";

/** Comments and texts of each language. In Rust a single quote also begins a lifetime, so quoted characters are kept. */
const NOT_CODE: Readonly<Record<LanguageId, RegExp>> = {
  typescript: new RegExp([C_COMMENTS, TEXTS, QUOTED, TEMPLATES].join("|"), "g"),
  python: new RegExp([String.raw`"""[\s\S]*?"""|'''[\s\S]*?'''|#[^\n]*`, TEXTS, QUOTED].join("|"), "g"),
  rust: new RegExp([C_COMMENTS, TEXTS].join("|"), "g"),
  go: new RegExp([C_COMMENTS, TEXTS, QUOTED, TEMPLATES].join("|"), "g"),
  java: new RegExp([C_COMMENTS, TEXTS, QUOTED].join("|"), "g"),
  cpp: new RegExp([C_COMMENTS, TEXTS, QUOTED].join("|"), "g"),
};

/** The code without comments and texts, for searching keywords. A text becomes an empty one. */
export function plainCode(text: string, language: LanguageId): string {
  return text.replaceAll(NOT_CODE[language], (found) => (/^["'`]/.test(found) ? '""' : " "));
}
