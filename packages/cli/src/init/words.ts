import { SlipwayError } from "../errors.ts";

export interface CommandLine {
  readonly cmd: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

const SHELL = /[|&;<>`\n]|\$[({A-Za-z_]/;
const TOKEN = /\s+|"((?:[^"\\]|\\.)*)"|'([^']*)'|\\(.)|([^\s"'\\]+)/gy;

/** Splits plain words like a shell; gates run without a shell, so any other syntax is refused. */
export function commandLine(text: string): CommandLine {
  const words: string[] = [];
  let word: string | null = null;
  let end = 0;
  for (const match of text.matchAll(TOKEN)) {
    end = match.index + match[0].length;
    const [whole, double, single, escaped, plain] = match;
    if (/^\s/.test(whole)) {
      if (word !== null) words.push(word);
      word = null;
      continue;
    }
    if (plain !== undefined && SHELL.test(plain)) throw refused(text, `"${plain}" is shell syntax`);
    word = (word ?? "") + (double?.replaceAll(/\\(["\\$`])/g, "$1") ?? single ?? escaped ?? plain ?? "");
  }
  if (end < text.length) throw refused(text, "a quotation mark is not closed");
  if (word !== null) words.push(word);
  const first = words.findIndex((entry) => !/^[A-Za-z_]\w*=/.test(entry));
  if (first === -1) throw refused(text, "it names no program");
  const env = words.slice(0, first).map((entry) => [entry.slice(0, entry.indexOf("=")), entry.slice(entry.indexOf("=") + 1)] as const);
  return { cmd: words.slice(first), env: Object.fromEntries(env) };
}

function refused(text: string, reason: string): SlipwayError {
  return new SlipwayError("invalid_cli_args", `The test command \`${text}\` cannot be a gate: ${reason}.`, {
    field: "--test",
    suggested_next_actions: [
      'Give one program with its arguments, such as --test "make test"; put anything longer in a script of the repository.',
    ],
  });
}
