import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { GATES, openScratchKernel, type ScratchKernel } from "@slipway/kernel/change/testing/scratch-kernel";
import { LANGUAGE_IDS } from "@slipway/languages/adapter";
import { languageAdapter } from "@slipway/languages/adapters";
import { afterEach, describe, expect, test } from "vitest";
import type { RunRequest } from "../protocol.ts";
import type { Starter } from "../surface/surface.ts";
import type { CriticalityInput } from "./input.ts";
import { prepareCriticality } from "./prepare.ts";
import { printSpec } from "./spec/print-spec.ts";
import { sampleSpec } from "./spec/testing/specs.ts";

let scratch: ScratchKernel;
afterEach(() => scratch.close());

async function prepare(request: Partial<RunRequest>, files: Record<string, string> = {}) {
  scratch = await openScratchKernel(files);
  const prepared = await prepareCriticality(scratch as unknown as Starter, { specs: [], text: null, cwd: "/", env: {}, ...request });
  if (!("input" in prepared)) throw new Error(JSON.stringify(prepared));
  return { ...prepared, input: prepared.input as CriticalityInput };
}

function specFile(text = printSpec(sampleSpec())): Partial<RunRequest> {
  const cwd = mkdtempSync(join(tmpdir(), "slipway-prepare-"));
  writeFileSync(join(cwd, "spec.toml"), text);
  return { cwd, options: { spec: "spec.toml" } };
}

const CONFIG = "slipway/criticality.toml";
const LISTED = '{ "scripts": { "test": "node --test" }, "devDependencies": { "fast-check": "^4.1.0" } }\n';

describe("the input of a run", () => {
  const settings = (tsconfig: string, files: Record<string, string> = {}) =>
    prepare({ text: "x" }, { "tsconfig.json": tsconfig, ...files });
  const USABLE = '"strict": true, "noEmit": true, "allowImportingTsExtensions": true';

  test.each([
    ["not strict", "{}", /no "strict": true/],
    ["without imports of .ts files", '{ "compilerOptions": { "strict": true } }', /imports that end in \.ts/],
    ["from a package", `{ "extends": "@tsconfig/strictest", "compilerOptions": { ${USABLE} } }`, /extends @tsconfig\/strictest/],
    ["from outside the repository", `{ "extends": "../base.json", "compilerOptions": { ${USABLE} } }`, /extends \.\.\/base\.json/],
    [
      "that no module compiles with",
      `{ "compilerOptions": { ${USABLE}, "module": "nodenext", "verbatimModuleSyntax": true } }`,
      /CommonJS/,
    ],
  ])("compiler settings %s are refused before a model is called", async (_what, tsconfig, message) => {
    const refused = await settings(tsconfig).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: "config_invalid", message: expect.stringMatching(message) });
  });

  test("compiler settings are read with those that they extend, and unused names are told", async () => {
    const base = `{ "compilerOptions": { ${USABLE}, "noUnusedLocals": true } }`;
    const { input, note } = await settings('{ "extends": "./config/base" }', { "config/base.json": base });
    expect(Object.keys(input.project_files)).toEqual(["tsconfig.json", "config/base.json"]);
    expect(note).toContain("noUnusedLocals");
  });

  test("a language whose tools are not installed is refused before a model is called", async ({ skip }) => {
    const missing = await Promise.all(
      LANGUAGE_IDS.map(async (id) => ({ id, tools: await (await languageAdapter(id, { env: {} })).missingTools() })),
    );
    const absent = missing.find(({ tools }) => tools.some(({ isOptional }) => isOptional !== true));
    if (absent === undefined) return skip("the tools of every language are installed");
    const tools = absent.tools.filter(({ isOptional }) => isOptional !== true).map(({ tool }) => tool);
    await expect(prepare({ text: "x" }, { [CONFIG]: `[project]\nlanguage = "${absent.id}"\n` })).rejects.toMatchObject({
      code: "tool_missing",
      details: { tools },
    });
  });

  test("a gate without a test report is told before a model is called, and one with a report is not", async () => {
    expect((await prepare({ text: "x" })).note).toMatch(/names no test report for full.*--test-reporter=junit/);
    await scratch.close();
    const reporting = `${GATES}parsers: { tests: { type: junit_xml, path: reports/junit.xml } }\n`;
    expect((await prepare({ text: "x" }, { "slipway/gates.yaml": reporting })).note).toBeUndefined();
  });

  test.each([
    ["junit_xml", false],
    ["lcov", true],
  ])("with a coverage parser of %s alone, a missing test report is told: %s", async (type, isTold) => {
    const reporting = `${GATES}parsers: { coverage: { type: ${type}, path: reports/r } }\n`;
    const { note = "" } = await prepare({ text: "x" }, { "slipway/gates.yaml": reporting });
    expect(note.includes("names no test report for full")).toBe(isTold);
  });

  test("an idea gives the run its name", async () => {
    const { input, slug } = await prepare({ text: "Accounts & transfers!" });
    expect(slug).toBe("accounts-transfers");
    expect(input).toMatchObject({ project: "accounts-transfers", idea: "Accounts & transfers!", spec_digest: null, config_text: null });
  });

  test.each([
    [null, "program"],
    ["¡¿…", "program"],
    ["x".repeat(200), "x".repeat(40)],
  ])("an idea without a usable name, or with a long one: %s", async (text, project) => {
    expect((await prepare({ text })).input.project).toBe(project);
  });

  test("the configuration of the base branch names the project; its warnings are told", async () => {
    const { input, note } = await prepare({ text: "anything" }, { [CONFIG]: '[project]\nname = "Bank"\n\n[colour]\nred = 1\n' });
    expect(input.project).toBe("bank");
    expect(note).toContain("colour");
  });

  test("[CRI-184] a configuration that names several languages is refused before anything is recorded", async () => {
    await expect(prepare({ text: "x" }, { [CONFIG]: '[project]\nlanguage = ["typescript", "python"]\n' })).rejects.toMatchObject({
      message: expect.stringContaining("language"),
    });
  });

  test("a given specification takes the place of the interview, and is stored", async () => {
    const { input } = await prepare(specFile());
    expect(input).toMatchObject({ project: "payment-processor", idea: null });
    const stored = await scratch.records.objects.get(input.spec_digest ?? "");
    expect(Buffer.from(stored).toString("utf8")).toBe(printSpec(sampleSpec()));
  });

  test("a specification that is not valid is refused, with its file", async () => {
    await expect(prepare(specFile("[system]\nname = 7\n"))).rejects.toMatchObject({ message: expect.stringContaining("spec.toml") });
  });

  test("an idea and a specification together are refused", async () => {
    await expect(prepare({ ...specFile(), text: "an idea" })).rejects.toMatchObject({ code: "invalid_cli_args" });
  });

  test("project files of the repository are kept, others are not read", async () => {
    const { input } = await prepare({ text: "x" }, { "package.json": LISTED, "README.md": "words\n" });
    expect(input.project_files).toEqual({ "package.json": LISTED });
  });
});
