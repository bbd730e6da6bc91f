import { jsonLine } from "../../surface/escape.ts";
import { SlipwayError } from "@slipway/agents/errors";
import { refOf } from "../code-index/entry.ts";
import type { SearchInput, IndexSearchResult } from "../code-index/search.ts";
import type { Arguments, RunCommand } from "../../surface/command.ts";
import { EXIT } from "../../surface/exit-codes.ts";
import { withIndex } from "./with-index.ts";
import { oneLine } from "../../narration/one-line.ts";

/** Runs the same search as planners and Proposers. */
export const run: RunCommand = (args, io) =>
  withIndex(io, async (index) => {
    const { results, weak, lexical_matches } = await index.search(searchFrom(args));
    if (args.flag("json")) {
      io.out(jsonLine({ model: index.model.id, results, weak, lexical_matches }));
      return EXIT.done;
    }
    if (results.length === 0) io.out("No modules found.\n");
    io.out(rows(results));
    if (lexical_matches.length > 0) io.out(`All scores are low. Matches by words:\n${rows(lexical_matches)}`);
    return EXIT.done;
  });

function searchFrom(args: Arguments): SearchInput {
  const [query = ""] = args.positionals;
  return {
    query,
    ...listed("tags", args.text("tag")),
    ...listed("input_types", args.text("input-type")),
    ...listed("output_types", args.text("output-type")),
    include_inactive: args.flag("include-inactive"),
    ...limited(args.text("limit")),
  };
}

function listed(field: "tags" | "input_types" | "output_types", text: string | undefined): Partial<SearchInput> {
  if (text === undefined) return {};
  const values = text.split(",").map((value) => value.trim());
  return { [field]: values.filter((value) => value !== "") };
}

function limited(text: string | undefined): Partial<SearchInput> {
  if (text === undefined) return {};
  const top_k = Number(text);
  if (/^\d+$/.test(text) && top_k >= 1 && top_k <= 1000) return { top_k };
  throw new SlipwayError("invalid_cli_args", `--limit takes a number from 1 to 1000, not "${text}".`, {
    suggested_next_actions: ["Pass a number of results, such as --limit 20."],
  });
}

function rows(results: readonly IndexSearchResult[]): string {
  const width = Math.max(0, ...results.map((entry) => refOf(entry).length));
  return results
    .map((entry) => {
      const { similarity_score, status, purpose, superseded_by } = entry;
      const now = superseded_by === null ? status : `${status} by ${superseded_by}`;
      return `${similarity_score.toFixed(2)}  ${refOf(entry).padEnd(width)}  ${now}  ${oneLine(purpose)}\n`;
    })
    .join("");
}
