import { parseRaw, type RawEntry } from "./raw.ts";
import type { Git } from "./runner.ts";

/** How two trees differ, line by line. */
export interface LineDiff {
  readonly entries: readonly RawEntry[];
  /**
   * What `git diff --unified=0` says of the entries, one section after the other in their order; a change of type has two.
   * Every character is one byte.
   */
  readonly text: string;
}

const FORMAT = ["--raw", "--patch", "-z", "--unified=0", "--no-renames", "--no-abbrev", "--no-color", "--ignore-submodules=none"];

export async function linesBetweenTrees(git: Git, from: string, to: string): Promise<LineDiff> {
  return parse((await git.run(["diff-tree", "-r", ...FORMAT, "--end-of-options", from, to])).stdout);
}

/** How the index differs from a tree. */
export async function linesOfIndex(git: Git, from: string): Promise<LineDiff> {
  return parse((await git.run(["diff-index", "--cached", ...FORMAT, "--end-of-options", from])).stdout);
}

/** Entries as `parseRaw` has them, an empty field, then the text: which may itself hold the byte that ends a field. */
function parse(output: Buffer): LineDiff {
  const fields: Buffer[] = [];
  let start = 0;
  while (output[start] === COLON) {
    const end = output.indexOf(0, start);
    const next = output.indexOf(0, end + 1);
    fields.push(output.subarray(start, end), output.subarray(end + 1, next));
    start = next + 1;
  }
  return { entries: parseRaw(fields), text: output.toString("latin1", start + 1) };
}

const COLON = ":".charCodeAt(0);
