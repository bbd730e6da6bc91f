import { join } from "node:path";
import { z } from "zod";
import { agentsSchema } from "../config/agents.ts";
import { AGENTS_FILE, POLICY_FILE } from "../config/load.ts";
import type { ReadFile } from "../host/files/read-file.ts";
import { policySchema } from "../config/policy.ts";
import { parseYamlConfig } from "../config/yaml.ts";
import { indexSchema } from "../change/views/feature-index/index-value.ts";
import { stateSchema } from "../change/feature/state.ts";
import { gatesSchema, GATES_FILE } from "../config/gates.ts";
import { planSchema } from "../change/plan/schema.ts";
import { qaTestIndex } from "../change/judge/qa/schema.ts";
import { jsonSchemaOf, type JsonSchema } from "./schemas.ts";
import { readCheck } from "./installed-file.ts";

/** Documents that Slipway stores or reads, and their schemas. */
export const DOCUMENT_DEFINITIONS = {
  plan: planSchema,
  state: stateSchema,
  index: indexSchema,
  gates: gatesSchema,
  policy: policySchema,
  agents: agentsSchema,
  qa_test_index: qaTestIndex,
} as const satisfies Record<string, z.ZodType>;

export type DocumentName = keyof typeof DOCUMENT_DEFINITIONS;

export type DocumentSchemas = Readonly<Record<DocumentName, z.ZodType>>;

/** Shipped with the package, beside `src` and `dist`, so a repository cannot weaken its own checks. */
const SCHEMAS_FOLDER = join(import.meta.dirname, "..", "..", "schemas");

export function loadDocumentSchemas(folder = SCHEMAS_FOLDER): DocumentSchemas {
  const names = Object.keys(DOCUMENT_DEFINITIONS) as DocumentName[];
  return Object.fromEntries(names.map((name) => [name, readCheck(join(folder, `${name}.schema.json`))])) as DocumentSchemas;
}

/** The expected files, by name. */
export function documentFiles(): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(DOCUMENT_DEFINITIONS).map(([name, definition]) => {
      const { $schema, ...rest }: JsonSchema = jsonSchemaOf(definition, "input");
      return [`${name}.schema.json`, `${JSON.stringify({ $schema, title: name, ...rest }, null, 2)}\n`];
    }),
  );
}

/** The configuration's files against the shipped schemas. Their own rules were checked before; these can only be as strict or stricter. */
export async function checkConfigurationFiles(schemas: DocumentSchemas, readFile: ReadFile): Promise<void> {
  const files = { [POLICY_FILE]: schemas.policy, [GATES_FILE]: schemas.gates, [AGENTS_FILE]: schemas.agents };
  for (const [path, schema] of Object.entries(files)) {
    const bytes = await readFile(path);
    if (bytes !== null) parseYamlConfig(path, bytes, schema);
  }
}
