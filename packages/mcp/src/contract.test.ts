import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/server/validators/ajv";
import { ALL_TOOLS } from "@slipway/kernel/tools/all";
import type { JsonSchema } from "@slipway/kernel/tools/schemas";
import { checkFor } from "@slipway/kernel/tools/schemas";
import { assembleTools } from "@slipway/kernel/tools/table";
import { describe, expect, onTestFinished, test } from "vitest";
import { readCatalog, TOOLS_FOLDER } from "./catalog.ts";
import { contractProblems, generatedFiles, serverFiles, writeGenerated } from "./contract.ts";

const ROOT = join(import.meta.dirname, "..", "..", "..");
const files = generatedFiles(ALL_TOOLS);

/** A copy of all generated files, to be damaged. */
function copy(): string {
  const root = mkdtempSync(join(tmpdir(), "slipway-contract-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const path of [...files.keys(), "packages/mcp/tools/protocol.json"]) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    cpSync(join(ROOT, path), join(root, path));
  }
  return root;
}

test("[FEA-024] pins, installed SDK, definitions, catalog, schemas and docs/tools.md agree", async () => {
  expect(await contractProblems(ROOT, files)).toEqual([]);
});

test("[FEA-024] the generated files are the same every time, byte for byte", () => {
  expect([...generatedFiles(ALL_TOOLS.toReversed())]).toEqual([...files]);
  const root = mkdtempSync(join(tmpdir(), "slipway-contract-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  writeGenerated(root, files);
  for (const path of files.keys()) expect(readFileSync(join(root, path)).equals(readFileSync(join(ROOT, path)))).toBe(true);
});

describe("[FEA-024] the check names", () => {
  const schema = "packages/mcp/tools/schemas/input/plan.get.input.schema.json";
  test.each([
    ["a missing schema", (root: string) => rmSync(join(root, schema)), `${schema} is missing`],
    ["a stale schema", (root: string) => writeFileSync(join(root, schema), "{}\n"), `${schema} is stale`],
    [
      "a stale catalog",
      (root: string) => writeFileSync(join(root, "packages/mcp/tools/catalog.json"), "{}"),
      "packages/mcp/tools/catalog.json is stale",
    ],
    ["stale documentation", (root: string) => writeFileSync(join(root, "docs/tools.md"), "# Tools\n"), "docs/tools.md is stale"],
    [
      "a missing document schema",
      (root: string) => rmSync(join(root, "packages/kernel/schemas/plan.schema.json")),
      "packages/kernel/schemas/plan.schema.json is missing",
    ],
    [
      "a schema of no tool",
      (root: string) => writeFileSync(join(root, "packages/mcp/tools/schemas/output/repo.wipe.output.schema.json"), "{}"),
      "packages/mcp/tools/schemas/output/repo.wipe.output.schema.json belongs to no tool",
    ],
    [
      "another SDK",
      (root: string) => {
        const path = join(root, "packages/mcp/tools/protocol.json");
        writeFileSync(path, readFileSync(path, "utf8").replace('"2.4.0"', '"2.3.9"'));
      },
      "@modelcontextprotocol/server: 2.4.0 is installed, 2.3.9 is pinned",
    ],
  ])("%s", async (_name, spoil, problem) => {
    const root = copy();
    expect(await contractProblems(root, files)).toEqual([]);
    spoil(root);
    expect(await contractProblems(root, files)).toEqual([problem]);
    writeGenerated(root, files);
    expect(await contractProblems(root, files)).toEqual(problem.includes("pinned") ? [problem] : []);
  });
});

describe("the files of a protocol's own server", () => {
  const servers = serverFiles([{ name: "notes-server", summary: "Serves notes.", tools: ALL_TOOLS.slice(0, 2) }]);
  const folder = "packages/mcp/tools/servers/notes-server";

  test("are a catalog and schemas in a folder of its own, and a chapter of docs/servers.md", () => {
    expect([...servers.keys()]).toEqual(
      expect.arrayContaining([`${folder}/catalog.json`, `${folder}/errors.schema.json`, "docs/servers.md"]),
    );
    const page = servers.get("docs/servers.md");
    expect(page).toContain("## notes-server\n\nServes notes.\n");
    for (const { name } of ALL_TOOLS.slice(0, 2)) expect(page).toContain(`### ${name}\n`);
  });

  test("are checked with the others: missing, and of no server", async () => {
    const root = copy();
    const all = new Map([...files, ...servers]);
    writeGenerated(root, all);
    expect(await contractProblems(root, all)).toEqual([]);
    rmSync(join(root, folder, "catalog.json"));
    mkdirSync(join(root, "packages/mcp/tools/servers/former-server"));
    writeFileSync(join(root, "packages/mcp/tools/servers/former-server/catalog.json"), "{}");
    expect(await contractProblems(root, all)).toEqual([
      `${folder}/catalog.json is missing`,
      "packages/mcp/tools/servers/former-server/catalog.json belongs to no tool",
    ]);
  });
});

describe("the shipped catalog", () => {
  const { tools } = readCatalog(TOOLS_FOLDER);

  test("[FEA-068] has exactly the thirty numbered tools and feature.delete", () => {
    expect(tools).toHaveLength(31);
    expect(tools.map(({ name }) => name)).toContain("feature.delete");
    expect([...assembleTools(ALL_TOOLS).keys()].toSorted()).toEqual(tools.map(({ name }) => name));
  });

  test("[FEA-021] has for each tool a description, its kind and the paths of its schemas", () => {
    for (const { name, description, input_schema, output_schema } of tools) {
      expect(description.length).toBeGreaterThan(80);
      expect([input_schema, output_schema]).toEqual([
        `schemas/input/${name}.input.schema.json`,
        `schemas/output/${name}.output.schema.json`,
      ]);
    }
    expect(tools.filter(({ kind }) => kind === "read")).toHaveLength(15);
    expect(tools.filter(({ destructive }) => destructive).map(({ name }) => name)).toEqual([
      "feature.delete",
      "feature.ready_to_merge",
      "repo.merge",
      "repo.rebase_onto_main",
    ]);
  });

  test.each(tools.map(({ name, kind, input_schema }) => [name, kind, input_schema] as const))(
    "[FEA-060] [FEA-174] %s takes the fields that every call carries",
    (_name, kind, path) => {
      const schema = JSON.parse(readFileSync(join(TOOLS_FOLDER, path), "utf8")) as JsonSchema;
      expect(schema).toMatchObject({
        type: "object",
        additionalProperties: false,
        required: expect.arrayContaining(["actor_type", "actor_id"]),
      });
      expect(Object.hasOwn(schema.properties ?? {}, "operation_id")).toBe(kind === "mutating");
      expect(schema.required).not.toContain("operation_id");
    },
  );

  test("[FEA-015] exactly three tools require a version", () => {
    const demanding = tools.filter(({ input_schema }) => {
      const { required = [] } = JSON.parse(readFileSync(join(TOOLS_FOLDER, input_schema), "utf8")) as JsonSchema;
      return required.includes("expected_version") || required.includes("expected_plan_version");
    });
    expect(demanding.map(({ name }) => name)).toEqual(["feature.state_patch", "plan.update", "qa.test_index_update"]);
  });
});

/** Clients validate with other libraries: every schema must compile there and mean the same. */
test.each([...files].filter(([path]) => path.endsWith(".schema.json")))("%s means the same to Ajv", (_path, text) => {
  const schema = JSON.parse(text) as JsonSchema;
  const ajv = new AjvJsonSchemaValidator().getValidator(schema as never);
  const ours = checkFor(schema);
  for (const value of variants(schema)) expect([ajv(value).valid, value]).toEqual([ours.safeParse(value).success, value]);
});

/** A generated valid value, and many that are slightly wrong. */
function variants(schema: JsonSchema): unknown[] {
  const fit = example(schema);
  const spoilt = [null, 7, "text", [], {}];
  if (typeof fit !== "object" || fit === null) return [fit, ...spoilt];
  const entries = Object.entries(fit);
  return [
    fit,
    ...spoilt,
    { ...fit, unknown_field: 1 },
    ...entries.map(([left]) => Object.fromEntries(entries.filter(([key]) => key !== left))),
    ...entries.flatMap(([key]) => [null, 7.5, "", [1], { x: 1 }].map((value) => ({ ...fit, [key]: value }))),
  ];
}

function example(schema: JsonSchema): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  const [form] = schema.anyOf ?? schema.oneOf ?? [];
  if (typeof form === "object") return example(form);
  switch (schema.type) {
    case "object":
      return Object.fromEntries(
        (schema.required ?? []).map((name) => {
          const field = schema.properties?.[name];
          return [name, typeof field === "object" ? example(field) : 1];
        }),
      );
    case "array": {
      const { items } = schema;
      return Array.from({ length: schema.minItems ?? 0 }, () =>
        typeof items === "object" && !Array.isArray(items) ? example(items as JsonSchema) : 1,
      );
    }
    case "integer":
    case "number":
      return schema.minimum ?? 1;
    case "boolean":
      return true;
    case "null":
      return null;
    default:
      return schema.format === "date-time" ? "2026-01-01T00:00:00Z" : "a".repeat(Math.max(schema.minLength ?? 1, 1));
  }
}
