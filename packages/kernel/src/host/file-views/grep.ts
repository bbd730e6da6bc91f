import { SlipwayError } from "../../schema/errors.ts";
import type { Git } from "../git/runner.ts";
import { parseMatches, queryProblem } from "../git/search.ts";
import type { GrepHit } from "./file-tree.ts";

const TIMEOUT_MS = 10_000;
const MAX_OUTPUT_BYTES = 4 * 1024 ** 2;
const MAX_LINE_CHARACTERS = 500;

/** The matching lines of the folder's text files. git grep does not backtrack and follows no links. */
export async function grepFolder(
  git: Git,
  { pattern, paths, limit }: { readonly pattern: string; readonly paths: readonly string[]; readonly limit: number },
): Promise<GrepHit[]> {
  const problem = queryProblem(pattern, false);
  if (problem !== null) throw unusable(pattern, problem);
  if (paths.length === 0) return [];
  const { stdout, stderr, exitCode } = await git.run(
    ["grep", "--no-index", "-n", "-z", "-I", "--no-color", "-E", "-e", pattern, "--", ...paths],
    { allowExit: [1, 128], timeoutMs: TIMEOUT_MS, maxOutputBytes: MAX_OUTPUT_BYTES, cutOutput: true },
  );
  if (exitCode === 128) throw unusable(pattern, stderr.trim().split(": ").at(-1) ?? "it was refused");
  return parseMatches(stdout, 0)
    .slice(0, limit)
    .map((hit) => ({ ...hit, text: hit.text.slice(0, MAX_LINE_CHARACTERS).toWellFormed() }));
}

function unusable(pattern: string, why: string): SlipwayError {
  return new SlipwayError("schema_validation_failed", `The pattern cannot be searched for: ${why}.`, {
    pattern: pattern.slice(0, 200),
    suggested_next_actions: ["Give an extended regular expression for one line; escape ( [ { * + ? . with a backslash."],
  });
}
