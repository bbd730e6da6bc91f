import { describe, expect, test } from "vitest";
import type { LanguageId } from "@slipway/languages/adapter";
import { assertTestLibraries } from "./test-libraries.ts";

const check = (language: LanguageId, files: Readonly<Record<string, string>>) =>
  assertTestLibraries(language, async (path) => files[path] ?? null);
const manifest = (devDependencies: Readonly<Record<string, string>>, script = "node --test") =>
  JSON.stringify({ scripts: { test: script }, devDependencies });
const next = (action: RegExp) => ({
  code: "config_invalid",
  details: expect.objectContaining({ suggested_next_actions: expect.arrayContaining([expect.stringMatching(action)]) }),
});

describe("a TypeScript repository", () => {
  test.each(["^4.0.0", "4.10.2", "*", "latest", "workspace:*", ">=4 <6"])("with fast-check %s is accepted", async (version) => {
    await check("typescript", { "package.json": manifest({ "fast-check": version }) });
  });

  test.each([{}, { "fast-check": "^3.23.0" }])("with %j is refused", async (listed) => {
    await expect(check("typescript", { "package.json": manifest(listed as Record<string, string>) })).rejects.toMatchObject(
      next(/npm install --save-dev fast-check@4/),
    );
  });

  test.each([
    ["pnpm-lock.yaml", /pnpm add --save-dev/],
    ["yarn.lock", /yarn add --dev/],
    ["bun.lock", /bun add --dev/],
  ])("with %s is told the command of its package manager", async (lock, command) => {
    await expect(check("typescript", { "package.json": manifest({}), [lock]: "" })).rejects.toMatchObject(next(command));
  });

  test("whose tests would import a runner that is not listed is refused", async () => {
    const without = { "package.json": manifest({ "fast-check": "4" }, "mocha") };
    await expect(check("typescript", without)).rejects.toMatchObject(next(/--save-dev vitest`/));
    await expect(check("typescript", without)).rejects.toMatchObject(next(/node --test/));
    await check("typescript", { "package.json": manifest({ "fast-check": "4", vitest: "5" }, "vitest run") });
    await check("typescript", { "package.json": manifest({ "fast-check": "4", jest: "30" }, "jest") });
  });

  test("without package.json gets one with the program; one that is not JSON is refused", async () => {
    await check("typescript", {});
    await expect(check("typescript", { "package.json": "{" })).rejects.toMatchObject({ code: "config_invalid" });
  });
});

describe("a Python repository", () => {
  test("that names both libraries anywhere is accepted, and so is one without a manifest", async () => {
    await check("python", {});
    await check("python", { "pyproject.toml": '[dependency-groups]\ndev = ["hypothesis>=6", "pytest"]\n' });
    await check("python", { "pyproject.toml": "[project]\n", "requirements-dev.txt": "pytest==8\nhypothesis\n" });
  });

  test.each(["[project]\n", '# "hypothesis"\n[tool.pytest.ini_options]\n', 'dev = ["pytest", "hypothesis-jsonschema"]\n'])(
    "that does not name them is refused: %j",
    async (text) => {
      await expect(check("python", { "pyproject.toml": text })).rejects.toMatchObject(next(/"hypothesis"/));
    },
  );
});

test("a Rust repository has to list proptest, and other languages nothing", async () => {
  await check("rust", { "Cargo.toml": '[dev-dependencies]\nproptest = "1"\n' });
  await expect(check("rust", { "Cargo.toml": "[package]\n" })).rejects.toMatchObject(next(/cargo add --dev proptest/));
  await check("go", { "go.mod": "module x\n" });
});
