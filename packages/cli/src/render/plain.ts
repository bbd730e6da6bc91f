import { stripVTControlCharacters } from "node:util";

/** Everything that could move the cursor, colour the screen or turn the direction of writing, except line breaks and tabs. */
const CONTROLS = /[\p{Cc}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069](?<![\n\t])/gu;

/** Words of agents, files and people, safe to print: they say something, they command nothing. */
export function plain(text: string): string {
  return stripVTControlCharacters(text).replaceAll(CONTROLS, "\uFFFD");
}

/** For output where a line is a record: text cannot begin one of its own. */
export function oneLine(text: string): string {
  return plain(text.replaceAll(/\s+/g, " ").trim());
}
