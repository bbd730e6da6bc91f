import { isUtf8 } from "node:buffer";
import { SlipwayError } from "../errors.ts";
import { tool, type Tool, type ToolSet } from "ai";
import { z } from "zod";
import type { FileTree } from "@slipway/kernel/host/file-views/file-tree";
import { accessDenied } from "@slipway/kernel/host/file-views/levels";
import type { Refusal } from "../provider.ts";
import { NATIVE_TOOLS, type NativeTool } from "../tools/native-tools.ts";

const MAX_CHARACTERS = 60_000;
const MAX_HITS = 200;
const MAX_LISTED = 1000;

const path = z.string().describe("Relative to the folder you work in.");

/** The name of each tool for a model. */
const NAMES: Readonly<Record<Exclude<NativeTool, "run">, string>> = {
  read: "read_file",
  write: "write_file",
  edit: "edit_file",
  delete: "delete_file",
  ls: "ls",
  glob: "glob",
  grep: "grep",
};

/**
 * The context pack as tools of a model, as far as they are granted. A refusal is returned to the model, which may try something else.
 */
export function treeTools(
  tree: FileTree,
  granted: readonly NativeTool[] = NATIVE_TOOLS,
  onRefused: (refusal: Refusal) => void = () => undefined,
): ToolSet {
  const names = granted.flatMap((native) => (native === "run" ? [] : [NAMES[native]]));
  return Object.fromEntries(Object.entries(everyTool(tree, onRefused)).filter(([name]) => names.includes(name)));
}

function everyTool(tree: FileTree, onRefused: (refusal: Refusal) => void): Readonly<Record<string, Tool>> {
  const guarded = (name: string, path: string | null, run: () => Promise<string>) =>
    withNextActions(() => watched(tree, name, path, onRefused, run));
  return {
    read_file: tool({
      description: "The text of a file; long files in parts, by line.",
      inputSchema: z.strictObject({ path, from_line: z.int().min(1).optional(), lines: z.int().min(1).optional() }),
      execute: ({ path, from_line = 1, lines }) =>
        guarded("read_file", path, async () => excerpt(text(await tree.read(path), path), from_line, lines)),
    }),
    write_file: tool({
      description: "Creates a file or replaces all of it.",
      inputSchema: z.strictObject({ path, content: z.string() }),
      execute: ({ path, content }) =>
        guarded("write_file", path, async () => {
          const bytes = Buffer.from(content.toWellFormed());
          await tree.write(path, bytes);
          return `Wrote ${bytes.byteLength} bytes to ${path}.`;
        }),
    }),
    edit_file: tool({
      description: "Replaces the only exact occurrence of `before` in a file with `after`.",
      inputSchema: z.strictObject({ path, before: z.string().min(1), after: z.string() }),
      execute: ({ path, before, after }) =>
        guarded("edit_file", path, async () => {
          await tree.edit(path, before, after.toWellFormed());
          return `Edited ${path}.`;
        }),
    }),
    delete_file: tool({
      description: "Removes a file.",
      inputSchema: z.strictObject({ path }),
      execute: ({ path }) =>
        guarded("delete_file", path, async () => {
          await tree.remove(path);
          return `Removed ${path}.`;
        }),
    }),
    ls: tool({
      description: "Lists a folder.",
      inputSchema: z.strictObject({ folder: z.string().default(".").describe("Relative to the folder you work in.") }),
      execute: ({ folder }) =>
        guarded("ls", folder, async () =>
          listed((await tree.ls(folder)).map(({ path, kind, bytes }) => (kind === "folder" ? `${path}/` : `${path} (${bytes} bytes)`))),
        ),
    }),
    glob: tool({
      description: "Finds files whose path matches a pattern, such as src/**/*.ts.",
      inputSchema: z.strictObject({ pattern: z.string().min(1) }),
      execute: ({ pattern }) => guarded("glob", null, async () => listed(await tree.glob(pattern))),
    }),
    grep: tool({
      description: "Lines that match a regular expression, in all files or below a path.",
      inputSchema: z.strictObject({ pattern: z.string().min(1), path: path.optional() }),
      execute: ({ pattern, path }) =>
        guarded("grep", path ?? null, async () => {
          const hits = await tree.grep(pattern, { limit: MAX_HITS, ...(path === undefined ? {} : { path }) });
          return listed(
            hits.map(({ path, line, text }) => `${path}:${line}: ${text}`),
            MAX_HITS,
          );
        }),
    }),
  };
}

const REFUSALS: ReadonlySet<string> = new Set(["policy_violation", "path_out_of_bounds"]);

/** Reports a call that the pack does not permit. A missing file is none, unless the role could not see one there. */
async function watched(
  tree: FileTree,
  name: string,
  path: string | null,
  onRefused: (refusal: Refusal) => void,
  run: () => Promise<string>,
): Promise<string> {
  try {
    const result = await run();
    // A sealed file is answered with a text instead of an error.
    if (path !== null && name === "read_file" && result === accessDenied(path)) onRefused({ tool: name, path, reason: result });
    return result;
  } catch (error) {
    if (error instanceof SlipwayError && (REFUSALS.has(error.code) || (path !== null && name === "read_file" && isHidden(tree, path)))) {
      onRefused({ tool: name, path, reason: error.message });
    }
    throw error;
  }
}

function isHidden(tree: FileTree, path: string): boolean {
  return tree.permission !== undefined && tree.permission(path) === null;
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
