import type { JsonSchema } from "@slipway/kernel/tools/schemas";
import type { Catalog, CatalogEntry } from "./catalog.ts";

const ACTOR_FIELDS = new Set(["actor_type", "actor_id", "operation_id", "expected_version"]);

/** The documentation of the tools, made from catalog and schemas only. */
export function toolsMarkdown({ tools }: Catalog, schemaAt: (path: string) => JsonSchema): string {
  return [
    "# Tools",
    "",
    "<!-- Made by `npm run generate:tools` from packages/mcp/tools; do not edit. -->",
    "",
    `Slipway's ${tools.length} tools, as MCP clients see them (how to connect one: [mcp.md](mcp.md)). Roles are the defaults; \`policy.rbac\` may change them.`,
    "",
    "Every call carries `actor_type` and `actor_id`; they have to agree with the caller's credential. Mutating tools also take `operation_id` (the same id with the same arguments is carried out once) and `expected_version` (refused with `version_conflict` when it is no longer current). Every answer is `{ok: true, data, evidence?}` or `{ok: false, error: {code, message, details}, evidence?}`.",
    "",
    "| tool | kind | roles |",
    "| --- | --- | --- |",
    ...tools.map(({ name, kind, default_roles }) => `| [${name}](#${anchorOf(name)}) | ${kind} | ${default_roles.join(", ")} |`),
    "",
    ...tools.flatMap((entry) => section(entry, schemaAt(entry.input_schema), schemaAt(entry.output_schema))),
  ].join("\n");
}

export interface DescribedServer {
  readonly name: string;
  readonly summary: string;
  readonly catalog: Catalog;
  readonly schemaAt: (path: string) => JsonSchema;
}

/** The documentation of the servers of protocols. */
export function serversMarkdown(servers: readonly DescribedServer[]): string {
  return [
    "# Servers of protocols",
    "",
    "<!-- Made by `npm run generate:tools` from packages/mcp/tools/servers; do not edit. -->",
    "",
    "A protocol may bring MCP servers of its own. `slipway mcp --server NAME` starts one; it has only the tools below (how to connect a client: [mcp.md](mcp.md#servers-of-protocols)). Calls name no actor: the person who starts the server fixes the role. Every answer is `{ok: true, data}` or `{ok: false, error: {code, message, details}}`.",
    "",
    ...servers.flatMap(({ name, summary, catalog, schemaAt }) => [
      `## ${name}`,
      "",
      summary,
      "",
      ...catalog.tools.flatMap((entry) => section(entry, schemaAt(entry.input_schema), schemaAt(entry.output_schema), "###")),
    ]),
  ].join("\n");
}

function section(entry: CatalogEntry, input: JsonSchema, output: JsonSchema, mark = "##"): string[] {
  const data = dataIn(output);
  return [
    `${mark} ${entry.name}`,
    "",
    entry.description,
    "",
    ...fields("Input", input, ({ name, required }) => !ACTOR_FIELDS.has(name) || (name === "expected_version" && required)),
    ...fields("Data", data, () => true),
  ];
}

/** A response is a union of success and failure; `data` is in the first. */
function dataIn({ anyOf: [success] = [] }: JsonSchema): JsonSchema {
  return schemaOf(schemaOf(success).properties?.["data"]);
}

/** JSON Schema also allows `true` and `false` as a schema; they have nothing to document. */
function schemaOf(node: unknown): JsonSchema {
  return typeof node === "object" && node !== null ? (node as JsonSchema) : {};
}

interface Field {
  readonly name: string;
  readonly required: boolean;
  readonly schema: JsonSchema;
}

function fields(title: string, { properties = {}, required = [] }: JsonSchema, shown: (field: Field) => boolean): string[] {
  const rows = Object.entries(properties)
    .map(([name, value]) => ({ name, required: required.includes(name), schema: schemaOf(value) }))
    .filter(shown);
  if (rows.length === 0) return [`${title}: nothing of its own.`, ""];
  return [
    `| ${title.toLowerCase()} | type | |`,
    "| --- | --- | --- |",
    ...rows.map(
      ({ name, required, schema }) => `| \`${name}\`${required ? "" : " (optional)"} | ${cell(typeOf(schema))} | ${cell(noteOn(schema))} |`,
    ),
    "",
  ];
}

function typeOf(schema: JsonSchema): string {
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${JSON.stringify(value)}\``).join(", ");
  if (schema.anyOf !== undefined) return schema.anyOf.map((form) => typeOf(schemaOf(form))).join(" or ");
  if (schema.type === "array") return `list of ${typeOf(schemaOf(schema.items))}`;
  return typeof schema.type === "string" ? schema.type : "anything";
}

function noteOn({ description, default: fallback }: JsonSchema): string {
  return [description, fallback === undefined ? undefined : `Default: \`${JSON.stringify(fallback)}\`.`]
    .filter((part) => part !== undefined)
    .join(" ");
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("\n", " ");
}

function anchorOf(name: string): string {
  return name.replaceAll(".", "");
}
