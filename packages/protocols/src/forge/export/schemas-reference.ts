import { SCHEMAS, type SchemaEntry } from "../schemas/table.ts";
import type { FieldFacts } from "../schemas/field-facts.ts";
import { SCHEMA_VERSION } from "../schemas/documents.ts";
import { yamlText } from "../schemas/yaml.ts";

/** `schemas.md`, from the schemas themselves. */
export function schemasReference(): string {
  const listed = SCHEMAS.map(({ name, purpose }, index) => `${index + 1}. \`${name}\`: ${purpose}`);
  return [
    "# Schemas",
    `The typed documents of the pipeline, in its order. Every output file is YAML with two top-level keys: \`completion\` first, then \`agent_output\` with \`agent\`, \`instance\`, \`step\`, \`started_at\`, \`completed_at\` (ISO 8601), \`schema_version\` ("${SCHEMA_VERSION}") and \`payload\`. Below, the fields of a document are those of its \`payload\`.`,
    listed.join("\n"),
    "Unknown fields are accepted and ignored. Removing, renaming or retyping a field raises `schema_version` and needs every listed consumer to follow; a schema belongs to its producer.",
    ...SCHEMAS.map(entryText),
    LEDGER,
  ].join("\n\n");
}

function entryText({ name, purpose, producer, consumers, files, fields, example }: SchemaEntry): string {
  return [
    `## ${name}`,
    purpose,
    [
      `- Producer: ${producer}`,
      `- Consumers: ${consumers.length === 0 ? "none" : consumers.join(", ")}`,
      `- Files: ${files.length === 0 ? "a block of every output file" : files.map((file) => `\`${file}\``).join(", ")}`,
    ].join("\n"),
    ["| field | type | required | allowed values | minimum entries |", "| --- | --- | --- | --- | --- |", ...fields.map(rowOf)].join("\n"),
    "Example:",
    `\`\`\`yaml\n${yamlText(example).trimEnd()}\n\`\`\``,
  ].join("\n\n");
}

function rowOf({ path, type, required, allowed, minEntries }: FieldFacts): string {
  const values = allowed === null ? "any" : allowed.map((value) => `\`${String(value)}\``).join(", ");
  return `| \`${path}\` | ${type} | ${required ? "yes" : "no"} | ${values} | ${minEntries ?? ""} |`;
}

const LEDGER = `## Rows of the ledger

\`anvil_checks\` holds one row for each executed check and each verdict. \`task_id\` is

- the planner's id, such as \`task-03\`, for rows of a task (\`phase\` is \`baseline\` or \`after\`),
- \`{feature_slug}-design-review\` for verdicts of Step 3b, and \`{feature_slug}-code-review\` for verdicts of Step 7 (\`phase\` is \`review\`).

The check of a review row is named \`review-{scope}-\` and a suffix of its reviewer. \`verdict\` is \`approve\`, \`needs_revision\` or \`blocker\`; \`severity\` is \`Blocker\`, \`Critical\`, \`Major\`, \`Minor\` or empty.`;
