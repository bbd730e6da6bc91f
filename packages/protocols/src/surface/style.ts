import { randomBytes } from "node:crypto";
import { escapeText } from "./escape.ts";

/** Every style that Slipway prints: the codes that begin and end it. */
const CODES = { bold: [1, 22], dim: [2, 22], red: [31, 39], green: [32, 39], yellow: [33, 39], cyan: [36, 39] } as const;

export type Style = keyof typeof CODES;

/** Known to this process alone: no file, agent or person can write a mark. */
const SECRET = randomBytes(16).toString("hex");
const MARK = new RegExp(`\u001b\\{${SECRET}:(\\d+)\\}`);

/** Not yet a sequence that a terminal obeys: `screenText` makes one of it. */
export function styled(style: Style, text: string): string {
  const [begin, end] = CODES[style];
  return `${mark(begin)}${text}${mark(end)}`;
}

function mark(code: number): string {
  return `\u001b{${SECRET}:${code}}`;
}

/** What may be written to a terminal: our own styles, and everything else as text that says what it is. */
export function screenText(text: string): string {
  return text
    .split(MARK)
    .map((part, index) => (index % 2 === 1 ? `\u001b[${part}m` : escapeText(part)))
    .join("");
}
