import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { documentFiles } from "@slipway/kernel/tools/documents";
import type { JsonSchema } from "@slipway/kernel/tools/schemas";
import type { AnyTool } from "@slipway/kernel/tools/tool";
import { catalogSchema, readPins } from "./catalog.ts";
import { pinProblems } from "./pins.ts";
import { toolFiles } from "./tool-files.ts";
import { toolsMarkdown } from "./tools-md.ts";

const TOOLS = "packages/mcp/tools";
const DOCUMENTS = "packages/kernel/schemas";
const MARKDOWN = "docs/tools.md";
/** Folders that contain only generated files. */
const WHOLE = [`${TOOLS}/schemas`, DOCUMENTS];

/** All files that are generated from the definitions, by their path in this repository. */
export function generatedFiles(definitions: readonly AnyTool[]): ReadonlyMap<string, string> {
  const tools = toolFiles(definitions);
  const catalog = catalogSchema.parse(JSON.parse(tools.get("catalog.json") ?? ""));
  const schemaAt = (path: string) => JSON.parse(tools.get(path) ?? "") as JsonSchema;
  return new Map([
    ...[...tools].map(([path, text]) => [`${TOOLS}/${path}`, text] as const),
    ...[...documentFiles()].map(([path, text]) => [`${DOCUMENTS}/${path}`, text] as const),
    [MARKDOWN, toolsMarkdown(catalog, schemaAt)],
  ]);
}

export function writeGenerated(root: string, files: ReadonlyMap<string, string>): void {
  for (const path of extraFiles(root, files)) rmSync(join(root, path));
  for (const [path, text] of files) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

/** All differences between pins, installed SDK, definitions, catalog, schemas and documentation. */
export async function contractProblems(root: string, files: ReadonlyMap<string, string>): Promise<string[]> {
  const wrong = [...files].flatMap(([path, text]) => {
    if (!existsSync(join(root, path))) return [`${path} is missing`];
    return readFileSync(join(root, path), "utf8") === text ? [] : [`${path} is stale`];
  });
  const extra = extraFiles(root, files).map((path) => `${path} belongs to no tool`);
  return [...(await pinProblems(readPins(join(root, TOOLS)))), ...wrong, ...extra];
}

function extraFiles(root: string, files: ReadonlyMap<string, string>): string[] {
  return WHOLE.filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((path) => !files.has(path));
}
