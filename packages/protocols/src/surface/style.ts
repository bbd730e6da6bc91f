import { randomBytes } from "node:crypto";
import { escapeText } from "./escape.ts";

/** The ANSI codes that begin and end each style. */
const CODES = { bold: [1, 22], dim: [2, 22], red: [31, 39], green: [32, 39], yellow: [33, 39], cyan: [36, 39] } as const;

export type Style = keyof typeof CODES;

/** Random in each process, so that no file, agent or person can forge a mark. */
const SECRET = randomBytes(16).toString("hex");
const MARK = new RegExp(`\u001b\\{${SECRET}:(\\d+)\\}`);

/** Wraps the text in marks, which `screenText` turns into escape sequences. */
export function styled(style: Style, text: string): string {
  const [begin, end] = CODES[style];
  return `${mark(begin)}${text}${mark(end)}`;
}

function mark(code: number): string {
  return `\u001b{${SECRET}:${code}}`;
}

/** Text that is safe for a terminal: our marks become escape sequences, everything else is escaped. */
export function screenText(text: string): string {
  return text
    .split(MARK)
    .map((part, index) => (index % 2 === 1 ? `\u001b[${part}m` : escapeText(part)))
    .join("");
}
