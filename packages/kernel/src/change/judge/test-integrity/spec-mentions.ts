import { posix } from "node:path";

/** What the person's own words name. A plan is an agent's word and asks for nothing. */
export interface Asked {
  /** The path, or the name of the file. */
  file(path: string): boolean;
  /** Exactly these words. */
  words(text: string): boolean;
}

export function askedFor(spec: string): Asked {
  const words = (text: string) => text.trim() !== "" && new RegExp(`(?<![\\w./-])${RegExp.escape(text)}(?![\\w/-]|\\.\\w)`, "u").test(spec);
  return { words, file: (path) => words(path) || words(posix.basename(path)) };
}
