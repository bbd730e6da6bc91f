import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openScratchKernel, type ScratchKernel } from "@slipway/kernel/change/testing/scratch-kernel";
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

describe("the input of a run", () => {
  test("compiler settings that are not strict are refused before a model is called", async () => {
    const strict = (value: string) => prepare({ text: "x" }, { "tsconfig.json": value });
    await expect(strict('{ "extends": "./base.json" }')).rejects.toMatchObject({ code: "config_invalid" });
    await scratch.close();
    expect((await strict('{ "compilerOptions": { "strict": true } }')).input.project_files).toHaveProperty(["tsconfig.json"]);
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
    const { input } = await prepare({ text: "x" }, { "package.json": '{ "name": "mine" }\n', "README.md": "words\n" });
    expect(input.project_files).toEqual({ "package.json": '{ "name": "mine" }\n' });
  });
});
