import { join } from "node:path";
import type { z } from "zod";
import type { ServedTools } from "@slipway/kernel/tools/dispatch";
import type { JsonSchema } from "@slipway/kernel/tools/schemas";
import { serve } from "@slipway/kernel/tools/served";
import { damaged, readSchema } from "@slipway/kernel/tools/shipped";
import type { ToolTable } from "@slipway/kernel/tools/table";
import { readCatalog, type CatalogEntry } from "./catalog.ts";

/** The tools as the files of the installation show them. */
export interface Shown extends ServedTools {
  readonly entries: readonly { readonly entry: CatalogEntry; readonly input: JsonSchema; readonly output: JsonSchema }[];
}

/** Every tool has one entry and every entry one tool, with both its schemas; otherwise nothing is served. */
export function loadTools(folder: string, table: ToolTable): Shown {
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
  const failure: z.ZodType = readSchema(join(folder, "errors.schema.json")).check;
  const entries = tools.map((entry) => ({
    entry,
    input: readSchema(join(folder, entry.input_schema)).json,
    output: readSchema(join(folder, entry.output_schema)).json,
  }));
  const byName = new Map(
    entries.flatMap(({ entry: { name }, input, output }) => {
      const definition = table.get(name);
      return definition === undefined ? [] : [[name as string, serve(definition, { input, output })] as const];
    }),
  );
  return { entries, byName, failure };
}
