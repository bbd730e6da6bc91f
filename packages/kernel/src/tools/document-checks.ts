import type { Tool } from "../config/rbac.ts";
import { checkSchema, type SchemaViolation } from "../schema/violations.ts";
import type { Db } from "../record/database/tables.ts";
import { readIndex } from "../change/views/feature-index/store.ts";
import type { DocumentName, DocumentSchemas } from "./documents.ts";
import type { AnyTool } from "./tool.ts";

type Places = Partial<Record<Tool, Readonly<Record<string, DocumentName>>>>;

/** Which field of a tool's input is a document, and which. */
const TAKEN: Places = { "plan.submit": { plan_json: "plan" }, "plan.update": { plan_json: "plan" } };

/** The same for outputs of tools. */
const GIVEN: Places = {
  "feature.init": { state: "state" },
  "feature.state_get": { state: "state" },
  "feature.state_patch": { state: "state" },
  "feature.get_context": { state: "state", plan: "plan", qa_index: "qa_test_index" },
  "report.feature_summary": { state: "state" },
  "plan.submit": { plan: "plan" },
  "plan.update": { plan: "plan" },
  "plan.get": { plan: "plan" },
  "qa.test_index_get": { index: "qa_test_index" },
  "qa.test_index_update": { index: "qa_test_index" },
};

/** Violations of the shipped schemas by the documents in a call. */
export function takenViolations(schemas: DocumentSchemas, tool: Tool, args: Readonly<Record<string, unknown>>): SchemaViolation[] {
  return violationsAt(TAKEN[tool] ?? {}, schemas, args);
}

/** A tool's output, and the index after a change, must match the shipped schemas; otherwise it is a bug of Slipway. */
export async function assertGiven(schemas: DocumentSchemas, { name, kind }: AnyTool, data: unknown, db: Db): Promise<void> {
  const given = violationsAt(GIVEN[name] ?? {}, schemas, data as Readonly<Record<string, unknown>>);
  const index = kind === "mutating" ? await readIndex(db) : null;
  const violations = [...given, ...(index === null ? [] : violationsAt({ index: "index" }, schemas, { index }))];
  if (violations.length > 0) throw new Error(`${name} returned a document that does not match its schema: ${JSON.stringify(violations)}`);
}

function violationsAt(places: Readonly<Record<string, DocumentName>>, schemas: DocumentSchemas, value: Readonly<Record<string, unknown>>) {
  return Object.entries(places).flatMap(([field, document]) => {
    const found = value[field];
    const checked = found === undefined || found === null ? null : checkSchema(schemas[document], found);
    return checked === null || checked.ok ? [] : checked.violations.map((broken) => ({ ...broken, pointer: `/${field}${broken.pointer}` }));
  });
}
