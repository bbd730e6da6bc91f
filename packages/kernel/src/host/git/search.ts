import { SlipwayError } from "../../schema/errors.ts";
import { decodePath } from "./names.ts";
import type { Repository } from "./repository.ts";

export interface Search {
  readonly query: string;
  /** The query is plain text; otherwise an extended regular expression. */
  readonly literal: boolean;
  readonly signal?: AbortSignal;
  /** The time limit. */
  readonly timeoutMs?: number;
}

export interface Match {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

export interface GrepResult {
  readonly matches: readonly Match[];
  /** There are more matches, or longer lines, than shown. */
  readonly truncated: boolean;
}

const TIMEOUT_MS = 10_000;
const MAX_OUTPUT_BYTES = 1024 * 1024;
const MAX_MATCHES = 500;
const MAX_LINE_CHARACTERS = 500;
const MAX_QUERY_CHARACTERS = 1_000;
/** Limit of an expression's length times its counted repetitions, which the engine expands. */
const MAX_EXPANSION = 5_000;

/**
 * The matching lines of a tree's text files. Searches objects, not files, so there are no links, ignored files or git folders to
 * follow. The query is never parsed as an option, and its cost is bounded, because some expressions take the engine forever.
 */
export async function searchTree(repo: Repository, tree: string, search: Search): Promise<GrepResult> {
  const { query, literal, signal, timeoutMs = TIMEOUT_MS } = search;
  const problem = queryProblem(query, literal);
  if (problem !== null) throw unusable(query, problem);
  const git = await repo.vault();
  const {
    stdout,
    stderr,
    exitCode,
    cut = false,
  } = await git
    .run(["grep", "-n", "-z", "-I", "--no-color", "--full-name", literal ? "-F" : "-E", "-e", query, tree, "--"], {
      allowExit: [1, 128],
      timeoutMs,
      maxOutputBytes: MAX_OUTPUT_BYTES,
      cutOutput: true,
      ...(signal && { signal }),
    })
    .catch((error: unknown) => {
      if (!(error instanceof SlipwayError) || error.details["stopped"] !== "timeout") throw error;
      throw unusable(query, `it took longer than ${timeoutMs / 1000} seconds`, [
        "Search for something simpler: fewer *, + and {}, no alternatives inside a repetition.",
        "Or set `literal` to true and search for one word.",
      ]);
    });
  if (exitCode === 128) throw unusable(query, stderr.trim().split(": ").at(-1) ?? "git refused it");
  const all = parseMatches(stdout, tree.length + 1);
  const matches = all.slice(0, MAX_MATCHES).map((match) => ({ ...match, text: match.text.slice(0, MAX_LINE_CHARACTERS) }));
  return { matches, truncated: cut || all.length > MAX_MATCHES || all.some(({ text }) => text.length > MAX_LINE_CHARACTERS) };
}

/** `prefix` is the number of bytes of `<tree>:` in `<tree>:<path> NUL <line> NUL <text> LF`. Drops a truncated last line. */
export function parseMatches(output: Buffer, prefix: number): Match[] {
  const found: Match[] = [];
  let start = 0;
  for (;;) {
    const pathEnd = output.indexOf(0, start);
    const numberEnd = pathEnd < 0 ? -1 : output.indexOf(0, pathEnd + 1);
    const end = numberEnd < 0 ? -1 : output.indexOf(10, numberEnd + 1);
    if (end < 0) return found;
    found.push({
      path: decodePath(output.subarray(start + prefix, pathEnd)),
      line: Number(output.toString("latin1", pathEnd + 1, numberEnd)),
      text: output.toString("utf8", numberEnd + 1, end).replace(/\r$/, ""),
    });
    start = end + 1;
  }
}

/** Why a query is refused: unbounded cost, or more than one line. */
export function queryProblem(query: string, literal: boolean): string | null {
  if (query === "") return "it is empty";
  if (query.length > MAX_QUERY_CHARACTERS) return `it is longer than ${MAX_QUERY_CHARACTERS} characters`;
  if (/[\0\n\r]/.test(query)) return "it spans more than one line";
  if (literal) return null;
  if (/(?<!\\)(?:\\\\)*\\[1-9]/.test(query)) return "it refers back to a group";
  const counts = [...query.matchAll(/\{(\d*)(?:,(\d*))?\}/g)].map(([, least = "", most = ""]) => Math.max(1, Number(least), Number(most)));
  const expansion = counts.reduce((product, count) => product * count, query.length);
  return expansion > MAX_EXPANSION ? "its repetitions expand too far" : null;
}

const ESCAPE = "Escape characters such as ( [ { * + ? . with a backslash, or set `literal` to true.";

function unusable(query: string, why: string, next: readonly string[] = [ESCAPE]): SlipwayError {
  return new SlipwayError("schema_validation_failed", `The query cannot be searched for: ${why}.`, {
    violations: [{ pointer: "/query", rule: "pattern", expected: "an extended regular expression for one line", message: why }],
    query: query.slice(0, 200),
    suggested_next_actions: next,
  });
}
