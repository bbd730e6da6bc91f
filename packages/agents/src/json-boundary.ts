const QUOTED = 40;
const OPENING = /[{["]/;

/** What stands around the only JSON value of a text, in words; null if the text has no complete value with something around it. */
export function textOutside(text: string): string | null {
  if (/^[ \t]*```/m.test(text)) return "a code fence";
  if (/^(?:\/\/|\/\*|#)/.test(text)) return "a comment before its JSON value";
  const start = text.search(OPENING);
  if (start < 0) return "no JSON value";
  if (start > 0) return `text before its JSON value (${quoted(text.slice(0, start))})`;
  const end = endOfValue(text);
  if (end === null || end === text.length) return null;
  const rest = text.slice(end).trim();
  if (rest === "") return null;
  return /^(?:\/\/|\/\*|#)/.test(rest) ? "a comment after its JSON value" : `text after its JSON value (${quoted(rest)})`;
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]]/gs;

/** Where the value that begins the text ends; null if it does not. */
function endOfValue(text: string): number | null {
  let depth = 0;
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (token === "{" || token === "[") depth++;
    else if (token === "}" || token === "]") depth--;
    if (depth <= 0) return index + token.length;
  }
  return null;
}

function quoted(text: string): string {
  const short = text.trim();
  return JSON.stringify(short.length > QUOTED ? `${short.slice(0, QUOTED)}…`.toWellFormed() : short);
}
