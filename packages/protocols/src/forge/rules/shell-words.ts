export type ShellWords = { readonly ok: true; readonly words: readonly string[] } | { readonly ok: false; readonly reason: string };

/** Characters with which a shell does more than start one program. */
const SPECIAL: Readonly<Record<string, string>> = {
  ";": "a second command",
  "&": "a second command",
  "|": "a pipe",
  "<": "a redirection",
  ">": "a redirection",
  "(": "a subshell",
  ")": "a subshell",
  "{": "a group",
  "}": "a group",
  "`": "a command substitution",
  $: "an expansion",
  "\\": "an escape",
  "#": "a comment",
  "*": "a pattern",
  "?": "a pattern",
  "[": "a pattern",
  "]": "a pattern",
  "~": "an expansion",
  "!": "a history expansion",
  "\n": "a second line",
  "\r": "a second line",
};
/** Those that a shell reads also between double quotes. */
const SPECIAL_QUOTED = new Set(["`", "$", "\\", "!"]);
// oxlint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f]/;

/** The words of one simple command. Whatever could make a shell run or write something else is refused. */
export function shellWords(command: string): ShellWords {
  if (CONTROL.test(command)) return { ok: false, reason: "it contains a control character" };
  const words: string[] = [];
  let word: string | null = null;
  let quote: string | null = null;
  for (const character of command.trim()) {
    if (quote !== null) {
      if (character === quote) quote = null;
      else if (quote === '"' && SPECIAL_QUOTED.has(character)) return refused(character);
      else word += character;
    } else if (character === "'" || character === '"') {
      quote = character;
      word ??= "";
    } else if (character === " " || character === "\t") {
      if (word !== null) words.push(word);
      word = null;
    } else if (Object.hasOwn(SPECIAL, character)) return refused(character);
    else word = (word ?? "") + character;
  }
  if (quote !== null) return { ok: false, reason: "a quote is not closed" };
  if (word !== null) words.push(word);
  return { ok: true, words };
}

function refused(character: string): ShellWords {
  return { ok: false, reason: `${JSON.stringify(character)} is ${SPECIAL[character] ?? "special to the shell"}` };
}
