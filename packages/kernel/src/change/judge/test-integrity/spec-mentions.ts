import { posix } from "node:path";

/** What the person's specification mentions. A plan comes from an agent and does not count. */
export interface SpecMentions {
  /** The path, or the name of the file. */
  file(path: string): boolean;
  /** Matches exactly these words. */
  words(text: string): boolean;
}

export function specMentions(spec: string): SpecMentions {
  const words = (text: string) => text.trim() !== "" && new RegExp(`(?<![\\w./-])${RegExp.escape(text)}(?![\\w/-]|\\.\\w)`, "u").test(spec);
  return { words, file: (path) => words(path) || words(posix.basename(path)) };
}
