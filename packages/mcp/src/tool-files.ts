import { DEFAULT_RBAC, ACTOR_ROLES, type Tool } from "@slipway/kernel/config/rbac";
import { failureSchema } from "@slipway/kernel/tools/envelope";
import { inputSchemaOf, jsonSchemaOf, outputSchemaOf } from "@slipway/kernel/tools/schemas";
import type { AnyTool } from "@slipway/kernel/tools/tool";
import type { Catalog, CatalogEntry } from "./catalog.ts";

/** Hints for clients, which may ask a person before a destructive call. */
const DESTRUCTIVE: ReadonlySet<Tool> = new Set(["feature.delete", "feature.ready_to_merge", "repo.merge", "repo.rebase_onto_main"]);
const IDEMPOTENT: ReadonlySet<Tool> = new Set(["feature.init", "repo.ensure_worktree"]);

/** Every generated file below `tools/`, by its path there. */
export function toolFiles(definitions: readonly AnyTool[]): ReadonlyMap<string, string> {
  const sorted = definitions.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const catalog: Catalog = { version: 1, tools: sorted.map(entryFor) };
  return new Map([
    ["catalog.json", text(catalog)],
    ["errors.schema.json", text(titled("Every failed response", jsonSchemaOf(failureSchema, "output")))],
    ...sorted.flatMap((tool): [string, string][] => [
      [inputPath(tool.name), text(titled(`Input of ${tool.name}`, inputSchemaOf(tool)))],
      [outputPath(tool.name), text(titled(`Response of ${tool.name}`, outputSchemaOf(tool)))],
    ]),
  ]);
}

function entryFor({ name, kind, description, roles }: AnyTool): CatalogEntry {
  return {
    name,
    kind,
    description,
    input_schema: inputPath(name),
    output_schema: outputPath(name),
    default_roles: ACTOR_ROLES.filter((role) => (roles === undefined ? DEFAULT_RBAC[role].includes(name) : roles.includes(role))),
    destructive: DESTRUCTIVE.has(name),
    idempotent: kind === "read" || IDEMPOTENT.has(name),
  };
}

const inputPath = (name: string) => `schemas/input/${name}.input.schema.json`;
const outputPath = (name: string) => `schemas/output/${name}.output.schema.json`;

export function titled<S extends object>(title: string, schema: S): S & { title: string } {
  return { ...("$schema" in schema && { $schema: schema.$schema }), title, ...schema };
}

export function text(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
