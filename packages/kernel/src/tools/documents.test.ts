import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { GATES, openScratchKernel, POLICY, scratchPlan, type ScratchKernel } from "../change/testing/scratch-kernel.ts";
import { ALL_TOOLS } from "./all.ts";
import { callTool } from "./dispatch.ts";
import { checkConfigurationFiles, documentFiles, loadDocumentSchemas, type DocumentName } from "./documents.ts";
import { readCheck } from "./installed-file.ts";
import { served } from "./testing/sample-tools.ts";

function folderOf(files: ReadonlyMap<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), "slipway-schemas-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of files) writeFileSync(join(folder, name), text);
  return folder;
}

describe("the seven schemas", () => {
  test("[FEA-019] are shipped as files of JSON Schema 2020-12", () => {
    expect(Object.keys(loadDocumentSchemas()).toSorted()).toEqual(["agents", "gates", "index", "plan", "policy", "qa_test_index", "state"]);
    for (const text of documentFiles().values()) {
      expect(JSON.parse(text)).toMatchObject({ $schema: "https://json-schema.org/draft/2020-12/schema", type: "object" });
    }
  });

  test.each([...documentFiles().keys()])("[FEA-019] a missing or unparsable %s stops start-up", (name) => {
    const files = documentFiles();
    expect(() => loadDocumentSchemas(folderOf(files))).not.toThrow();
    expect(() => loadDocumentSchemas(folderOf(new Map([...files].filter(([other]) => other !== name))))).toThrow(name);
    expect(() => loadDocumentSchemas(folderOf(new Map([...files, [name, "{"]])))).toThrow("not valid JSON");
    expect(() => loadDocumentSchemas(folderOf(new Map([...files, [name, "{}"]])))).toThrow("$schema");
  });
});

test("[FEA-019] configuration files are checked against the shipped schemas in addition to their own rules", async () => {
  const schemas = loadDocumentSchemas();
  const reader = (gates: string) => async (path: string) => {
    if (path.endsWith("agents.yaml")) return null;
    return Buffer.from(path.endsWith("gates.yaml") ? gates : POLICY);
  };
  await expect(checkConfigurationFiles(schemas, reader(GATES))).resolves.toBeUndefined();
  await expect(checkConfigurationFiles(schemas, reader(`${GATES}more: 1\n`))).rejects.toMatchObject({
    code: "config_invalid",
    details: { field: "/more" },
  });
});

test("a schema with a keyword that no check supports is refused, not ignored", () => {
  const folder = folderOf(
    new Map([["x.schema.json", '{"$schema":"https://json-schema.org/draft/2020-12/schema","not":{"required":["a"]}}']]),
  );
  expect(() => readCheck(join(folder, "x.schema.json"))).toThrow("not is not supported");
});

describe("a call", () => {
  let scratch: ScratchKernel;
  beforeEach(async () => {
    scratch = await openScratchKernel();
    scratch.write(".slipway/features/letters/spec.md", "# Letters\n");
  });
  afterEach(() => scratch.close());

  /** With one schema narrowed until nothing matches it, so that every check of that document fails. */
  async function outcomes(narrowed: DocumentName | null) {
    const tools = served(ALL_TOOLS);
    const documents = { ...tools.documents, ...(narrowed !== null && { [narrowed]: z.never() }) };
    const call = async (name: string, args: Record<string, unknown> = {}) => {
      const credential = { role: "system", actorId: null, feature: null } as const;
      const all = { actor_type: "system", actor_id: "kim", feature_id: "letters", ...args };
      const envelope = await callTool(scratch.kernel, { ...tools, documents }, credential, name, all);
      return envelope.ok ? "ok" : envelope.error.code;
    };
    return [
      await call("feature.init"),
      await call("plan.submit", { plan_json: scratchPlan("letters") }),
      await call("plan.get"),
      await call("feature.state_get"),
      await call("feature.get_context"),
      await call("qa.test_index_get"),
    ];
  }

  test.each<[DocumentName | null, string[]]>([
    [null, ["ok", "ok", "ok", "ok", "ok", "ok"]],
    ["state", ["internal_error", "ok", "ok", "internal_error", "internal_error", "ok"]],
    ["plan", ["ok", "schema_validation_failed", "plan_not_found", "ok", "ok", "ok"]],
    ["index", ["internal_error", "internal_error", "ok", "ok", "ok", "ok"]],
    ["qa_test_index", ["ok", "ok", "ok", "ok", "internal_error", "internal_error"]],
  ])("[FEA-019] is checked against the shipped schema of every document in it (%s)", async (narrowed, expected) => {
    expect(await outcomes(narrowed)).toEqual(expected);
  });
});
