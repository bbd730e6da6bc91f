import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ServedTools } from "@slipway/kernel/tools/dispatch";
import type { DocumentSchemas } from "@slipway/kernel/tools/documents";
import type { JsonSchema } from "@slipway/kernel/tools/schemas";
import { serve } from "@slipway/kernel/tools/published-tool";
import { damaged, readCheck, readSchema } from "@slipway/kernel/tools/installed-file";
import type { ToolTable } from "@slipway/kernel/tools/table";
import type { AnyTool } from "@slipway/kernel/tools/tool";
import { readCatalog, type CatalogEntry } from "./catalog.ts";
import { toolFiles } from "./tool-files.ts";

/** The tools as in the files of the installation. */
export interface PublishedTools extends ServedTools {
  readonly entries: readonly { readonly entry: CatalogEntry; readonly input: JsonSchema; readonly output: JsonSchema }[];
}

/** Requires exactly one entry per tool, with both schemas; otherwise the server does not start. */
export function loadTools(folder: string, table: ToolTable, documents: DocumentSchemas): PublishedTools {
  const path = join(folder, "catalog.json");
  const { tools } = readCatalog(folder);
  const names = tools.map(({ name }) => name);
  const problems = [
    ...names.filter((name, index) => names.indexOf(name) !== index).map((name) => `${name} has two entries`),
    ...names.filter((name) => !table.has(name)).map((name) => `${name} has an entry and no handler`),
    ...[...table.keys()].filter((name) => !names.includes(name)).map((name) => `${name} has a handler and no entry`),
    ...tools.filter(({ name, kind }) => table.has(name) && table.get(name)?.kind !== kind).map(({ name }) => `${name} is of another kind`),
  ];
  if (problems.length > 0) throw damaged(path, `${problems.join("; ")}.`);
  const failure = readCheck(join(folder, "errors.schema.json"));
  const entries = tools.map((entry) => ({
    entry,
    input: readSchema(join(folder, entry.input_schema)),
    output: readSchema(join(folder, entry.output_schema)),
  }));
  assertAsDefined(folder, [...table.values()]);
  const schemas = new Map(entries.map(({ entry, input, output }) => [entry.name, { input, output }]));
  const byName = new Map([...table].map(([name, definition]) => [name, serve(definition, schemas.get(name))]));
  return { entries, byName, failure, documents };
}

/** Refuses descriptions and schemas that differ from the tested definitions: models read them, and they decide what a caller may send. */
function assertAsDefined(folder: string, definitions: readonly AnyTool[]): void {
  for (const [path, text] of toolFiles(definitions)) {
    if (readFileSync(join(folder, path), "utf8") !== text)
      throw damaged(join(folder, path), "It differs from the definitions of the tools (in a clone: `npm run generate:tools`, then build).");
  }
}
