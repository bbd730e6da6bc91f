import { isUtf8 } from "node:buffer";
import { SlipwayError } from "../errors.ts";
import { tool, type ToolSet } from "ai";
import { z } from "zod";
import type { FileTree } from "@slipway/kernel/host/file-views/file-tree";

const MAX_CHARACTERS = 60_000;
const MAX_HITS = 200;
const MAX_LISTED = 1000;

const path = z.string().describe("Relative to the folder you work in.");

/** The context pack as tools of a model. A refusal is returned to the model, which may try something else. */
export function treeTools(tree: FileTree): ToolSet {
  return {
    read_file: tool({
      description: "The text of a file; long files in parts, by line.",
      inputSchema: z.strictObject({ path, from_line: z.int().min(1).optional(), lines: z.int().min(1).optional() }),
      execute: ({ path, from_line = 1, lines }) =>
        withNextActions(async () => excerpt(text(await tree.read(path), path), from_line, lines)),
    }),
    write_file: tool({
      description: "Creates a file or replaces all of it.",
      inputSchema: z.strictObject({ path, content: z.string() }),
      execute: ({ path, content }) =>
        withNextActions(async () => {
          const bytes = Buffer.from(content.toWellFormed());
          await tree.write(path, bytes);
          return `Wrote ${bytes.byteLength} bytes to ${path}.`;
        }),
    }),
    edit_file: tool({
      description: "Replaces the only exact occurrence of `before` in a file with `after`.",
      inputSchema: z.strictObject({ path, before: z.string().min(1), after: z.string() }),
      execute: ({ path, before, after }) =>
        withNextActions(async () => {
          await tree.edit(path, before, after.toWellFormed());
          return `Edited ${path}.`;
        }),
    }),
    delete_file: tool({
      description: "Removes a file.",
      inputSchema: z.strictObject({ path }),
      execute: ({ path }) =>
        withNextActions(async () => {
          await tree.remove(path);
          return `Removed ${path}.`;
        }),
    }),
    ls: tool({
      description: "Lists a folder.",
      inputSchema: z.strictObject({ folder: z.string().default(".").describe("Relative to the folder you work in.") }),
      execute: ({ folder }) =>
        withNextActions(async () =>
          listed((await tree.ls(folder)).map(({ path, kind, bytes }) => (kind === "folder" ? `${path}/` : `${path} (${bytes} bytes)`))),
        ),
    }),
    glob: tool({
      description: "Finds files whose path matches a pattern, such as src/**/*.ts.",
      inputSchema: z.strictObject({ pattern: z.string().min(1) }),
      execute: ({ pattern }) => withNextActions(async () => listed(await tree.glob(pattern))),
    }),
    grep: tool({
      description: "Lines that match a regular expression, in all files or below a path.",
      inputSchema: z.strictObject({ pattern: z.string().min(1), path: path.optional() }),
      execute: ({ pattern, path }) =>
        withNextActions(async () => {
          const hits = await tree.grep(pattern, { limit: MAX_HITS, ...(path === undefined ? {} : { path }) });
          return listed(
            hits.map(({ path, line, text }) => `${path}:${line}: ${text}`),
            MAX_HITS,
          );
        }),
    }),
  };
}

/** Adds the suggested next actions to the refusal. */
async function withNextActions(run: () => Promise<string>): Promise<string> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof SlipwayError)) throw error;
    throw new Error([error.message, ...error.details.suggested_next_actions].join(" "), { cause: error });
  }
}

function text(bytes: Uint8Array, path: string): string {
  if (!isUtf8(bytes)) throw new Error(`${path} is not a text file (${bytes.byteLength} bytes).`);
  return new TextDecoder().decode(bytes);
}

function excerpt(whole: string, from: number, count: number | undefined): string {
  const rest = from === 1 && count === undefined ? whole : lineRange(whole, from, count);
  if (rest.length <= MAX_CHARACTERS) return rest;
  const cut = rest.slice(0, MAX_CHARACTERS).toWellFormed();
  const lines = cut.split("\n").length - 1;
  return `${cut}\n[Cut off here; go on with from_line ${from + Math.max(1, lines)}.]`;
}

function lineRange(whole: string, from: number, count: number | undefined): string {
  const lines = whole.split(/(?<=\n)/);
  return lines.slice(from - 1, count === undefined ? undefined : from - 1 + count).join("");
}

function listed(lines: readonly string[], limit = MAX_LISTED): string {
  if (lines.length === 0) return "Nothing.";
  const shown = lines.slice(0, limit).join("\n").slice(0, MAX_CHARACTERS).toWellFormed();
  return lines.length > limit ? `${shown}\n[${lines.length - limit} more]` : shown;
}
