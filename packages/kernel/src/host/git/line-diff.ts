import { decodePath } from "./names.ts";
import { parseRaw, type RawEntry } from "./raw.ts";
import type { Repository } from "./repository.ts";
import { differences } from "./fast-path/git-queries.ts";

/** The line-by-line difference of two trees. */
export interface LineDiff {
  readonly entries: readonly RawEntry[];
  /** The paths that git does not compare by lines. */
  readonly binary: ReadonlySet<string>;
  /**
   * The output of `git diff --unified=0`, one section per entry in their order; a change of type has two.
   * Every character is one byte.
   */
  readonly text: string;
}

export const NO_LINES: LineDiff = { entries: [], binary: new Set(), text: "" };

/** Takes the ids of two trees. */
export async function lineDiff(repo: Repository, fromTree: string, toTree: string): Promise<LineDiff> {
  const output = await differences(repo, fromTree, toTree);
  const fields: Buffer[] = [];
  const binary = new Set<string>();
  let start = 0;
  // First the entries for `parseRaw`, then a line of numbers for each, then an empty field. The text after it may contain NULs.
  for (let end = output.indexOf(0); end > start; end = output.indexOf(0, start)) {
    const field = output.subarray(start, end);
    if (field[0] === COLON) {
      const next = output.indexOf(0, end + 1);
      fields.push(field, output.subarray(end + 1, next));
      start = next + 1;
      continue;
    }
    if (field.toString("latin1", 0, 4) === "-\t-\t") binary.add(decodePath(field.subarray(4)));
    start = end + 1;
  }
  return { entries: parseRaw(fields), binary, text: output.toString("latin1", start + 1) };
}

const COLON = ":".charCodeAt(0);
