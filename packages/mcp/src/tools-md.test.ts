import type { JsonSchema } from "@slipway/kernel/tools/schemas";
import { expect, test } from "vitest";
import type { CatalogEntry } from "./catalog.ts";
import { toolsMarkdown } from "./tools-md.ts";

const entry: CatalogEntry = {
  name: "plan.get",
  kind: "read",
  description: "Gives a plan.",
  input_schema: "in",
  output_schema: "out",
  default_roles: ["planner", "system"],
  destructive: false,
  idempotent: true,
};

function shown(input: JsonSchema, data: JsonSchema | boolean): string {
  const schemas: Record<string, JsonSchema> = { in: input, out: { anyOf: [{ type: "object", properties: { data } }] } };
  return toolsMarkdown({ version: 1, tools: [entry] }, (path) => schemas[path] ?? {});
}

test("a tool is documented with its roles, its own input and its data", () => {
  const text = shown(
    {
      type: "object",
      properties: {
        actor_type: { type: "string" },
        feature_id: { type: "string", description: "The feature | its id.\nNothing else." },
        modes: { type: "array", items: { enum: ["fast", "full"] }, default: ["fast"] },
      },
      required: ["actor_type", "feature_id"],
    },
    {
      type: "object",
      properties: { plan: { anyOf: [{ type: "object" }, { type: "null" }] }, passed: { const: true }, more: {}, gone: false },
    },
  );
  expect(text).toContain("| [plan.get](#planget) | read | planner, system |");
  expect(text).toContain("| `feature_id` | string | The feature \\| its id. Nothing else. |");
  expect(text).toContain('| `modes` (optional) | list of `"fast"`, `"full"` | Default: `["fast"]`. |');
  expect(text).toContain("| `plan` (optional) | object or null |  |");
  expect(text).toContain("| `passed` (optional) | `true` |  |");
  expect(text).toContain("| `more` (optional) | anything |  |");
  expect(text).toContain("| `gone` (optional) | anything |  |");
  expect(text).not.toContain("`actor_type` |");
});

test("a required version is part of the tool's own input", () => {
  const text = shown({ type: "object", properties: { expected_version: { type: "integer" } }, required: ["expected_version"] }, true);
  expect(text).toContain("| `expected_version` | integer |  |");
  expect(text).toContain("Data: nothing of its own.");
});
