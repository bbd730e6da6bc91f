import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { documentFiles } from "@slipway/kernel/tools/documents";
import type { JsonSchema } from "@slipway/kernel/tools/schemas";
import type { AnyTool } from "@slipway/kernel/tools/tool";
import { catalogSchema, readPins, SERVERS_FOLDER, type Catalog } from "./catalog.ts";
import { pinProblems } from "./pins.ts";
import { toolFiles } from "./tool-files.ts";
import { serversMarkdown, toolsMarkdown } from "./tools-md.ts";

const TOOLS = "packages/mcp/tools";
const DOCUMENTS = "packages/kernel/schemas";
const MARKDOWN = "docs/tools.md";
/** Folders that contain only generated files. */
const WHOLE = [`${TOOLS}/schemas`, DOCUMENTS];
const SERVERS = `${TOOLS}/${SERVERS_FOLDER}`;
const SERVERS_MARKDOWN = "docs/servers.md";

/** A server of a protocol, with its tools. */
export interface ServerTools {
  readonly name: string;
  readonly summary: string;
  readonly tools: readonly AnyTool[];
}

/** The files of the servers of protocols, by their path in this repository. */
export function serverFiles(servers: readonly ServerTools[]): ReadonlyMap<string, string> {
  const made = servers.map(({ name, summary, tools }) => ({ name, summary, files: toolFiles(tools) }));
  const described = made.map(({ name, summary, files }) => ({ name, summary, ...readable(files) }));
  return new Map([
    ...made.flatMap(({ name, files }) => [...files].map(([path, text]) => [`${SERVERS}/${name}/${path}`, text] as const)),
    [SERVERS_MARKDOWN, serversMarkdown(described)],
  ]);
}

function readable(files: ReadonlyMap<string, string>): { readonly catalog: Catalog; readonly schemaAt: (path: string) => JsonSchema } {
  return {
    catalog: catalogSchema.parse(JSON.parse(files.get("catalog.json") ?? "")),
    schemaAt: (path) => JSON.parse(files.get(path) ?? "") as JsonSchema,
  };
}

/** All files that are generated from the definitions, by their path in this repository. */
export function generatedFiles(definitions: readonly AnyTool[]): ReadonlyMap<string, string> {
  const tools = toolFiles(definitions);
  const { catalog, schemaAt } = readable(tools);
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
  const whole = [...files.keys()].some((path) => path.startsWith(`${SERVERS}/`)) ? [...WHOLE, SERVERS] : WHOLE;
  return whole
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((path) => !files.has(path));
}
