import { describe, expect, test } from "vitest";
import { discoverTooling } from "./tooling.ts";

async function discover(files: Readonly<Record<string, string>>) {
  const { tools, notes } = await discoverTooling(Object.keys(files), async (path) => files[path] ?? null);
  return { tools: Object.fromEntries(tools.map(({ name, command }) => [name, command.join(" ")])), notes, all: tools };
}

const manifest = (fields: object) => ({ "package.json": JSON.stringify(fields) });

describe("[FOR-063] tools of a project of", () => {
  test("Node.js with scripts: its own, run with its package manager", async () => {
    const scripts = { build: "tsc -b", typecheck: "tsc --noEmit", lint: "eslint .", test: "vitest run", "test:ci": "vitest run --ci" };
    expect((await discover(manifest({ scripts }))).tools).toEqual({
      "build-node": "npm run --silent build",
      "typecheck-node": "npm run --silent typecheck",
      "lint-node": "npm run --silent lint",
      "tests-node": "npm run --silent test",
    });
    const pnpm = await discover({ ...manifest({ scripts: { test: "vitest run" } }), "pnpm-lock.yaml": "" });
    expect(pnpm.tools).toEqual({ "tests-node": "pnpm run test" });
  });

  test.each(['echo "Error: no test specified" && exit 1', "true", "", "vitest --watch", "jest -u"])(
    "Node.js without the script %j, which tests nothing, never ends or writes",
    async (script) => {
      expect((await discover(manifest({ scripts: { test: script } }))).tools).toEqual({});
    },
  );

  test("Node.js without scripts: installed tools that are configured", async () => {
    const devDependencies = { typescript: "5", eslint: "9", vitest: "3" };
    const files = { ...manifest({ devDependencies }), "tsconfig.json": "{}", "eslint.config.js": "" };
    expect((await discover(files)).tools).toEqual({
      "typecheck-node": "npx --no-install tsc --noEmit -p tsconfig.json",
      "lint-node": "npx --no-install eslint .",
      "tests-node": "npx --no-install vitest run",
    });
    expect((await discover({ ...manifest({}), "tsconfig.json": "{}", "eslint.config.js": "" })).tools).toEqual({});
  });

  test("Node.js without a package: its own test runner, if a test imports it", async () => {
    expect((await discover({ "a.test.js": 'import test from "node:test";' })).tools).toEqual({ "tests-node": "node --test" });
    expect((await discover({ "a.test.js": 'import { test } from "tap";' })).tools).toEqual({});
  });

  test("Python: configured tools, and pytest or unittest", async () => {
    const pyproject = "[tool.mypy]\nstrict = true\n[tool.ruff]\n[tool.pytest.ini_options]\n";
    expect((await discover({ "pyproject.toml": pyproject })).tools).toEqual({
      "typecheck-python": "python3 -m mypy --cache-dir=/dev/null .",
      "lint-python": "ruff check --no-cache .",
      "tests-python": "python3 -m pytest -q -p no:cacheprovider",
    });
    const unittest = { "pyproject.toml": "[project]\n[tool.pyright]\n", "tests/test_a.py": "import unittest\n" };
    expect((await discover(unittest)).tools).toEqual({
      "typecheck-python": "pyright",
      "tests-python": "python3 -m unittest discover -s tests -t tests",
    });
    expect((await discover({ "requirements.txt": "# pytest is not used\nrequests\n" })).tools).toEqual({});
    expect((await discover({ "requirements.txt": "pytest==8\n" })).tools).toHaveProperty("tests-python");
  });

  test("Go, Rust and Java", async () => {
    expect(Object.keys((await discover({ "go.mod": "" })).tools)).toEqual(["build-go", "lint-go", "tests-go"]);
    expect(Object.keys((await discover({ "Cargo.toml": "" })).tools)).toEqual(["build-rust", "lint-rust", "tests-rust"]);
    expect((await discover({ "pom.xml": "" })).tools["tests-java"]).toBe("mvn --offline --batch-mode test");
    expect((await discover({ "build.gradle": "", gradlew: "" })).tools["tests-java"]).toBe("./gradlew --offline --console=plain test");
  });

  test("none of these: none", async () => {
    expect(await discover({ "README.md": "# Notes", "docs/package.json": "{}" })).toMatchObject({ tools: {}, notes: [] });
  });
});

test("projects below the root have names of their own and run in their folder", async () => {
  const files = {
    "packages/web/package.json": JSON.stringify({ scripts: { test: "node --test" } }),
    "services/API v2/go.mod": "",
    "node_modules/x/package.json": JSON.stringify({ scripts: { test: "node --test" } }),
  };
  const { all } = await discover(files);
  expect(all.map(({ name, cwd }) => [name, cwd])).toEqual([
    ["tests-node-packages-web", "packages/web"],
    ["build-go-services-api-v2", "services/API v2"],
    ["lint-go-services-api-v2", "services/API v2"],
    ["tests-go-services-api-v2", "services/API v2"],
  ]);
});

test("a package.json that is no JSON gives no tools", async () => {
  expect((await discover({ "package.json": "{" })).tools).toEqual({});
});

describe("gates.yaml", () => {
  const gates = (fast: string) => `version: 1\nprofiles: { default: { modes: { fast: ${fast}, full: [{ name: all, cmd: [make] }] } } }\n`;
  const project = manifest({ scripts: { build: "tsc -b", test: "vitest run" } });

  test("its fast steps replace the discovered tests, with folder, variables and time", async () => {
    const fast = "[{ name: Unit tests, cmd: [sh, check.sh], cwd: sub, env: { CI: true }, timeout_seconds: 1.5 }]";
    const { all } = await discover({ ...project, "slipway/gates.yaml": gates(fast) });
    expect(all.map(({ name }) => name)).toEqual(["build-node", "tests-fast-unit-tests"]);
    expect(all[1]).toMatchObject({ kind: "tests", command: ["env", "CI=true", "sh", "check.sh"], cwd: "sub", timeout_seconds: 2 });
  });

  test("a discovered tool with the same command runs once", async () => {
    const { tools } = await discover({ ...project, "slipway/gates.yaml": gates("[{ name: build, cmd: [npm, run, --silent, build] }]") });
    expect(tools).toEqual({ "tests-fast-build": "npm run --silent build" });
  });

  test.each([
    ["is not valid", "version: 1"],
    ["hand files to one another", gates("[{ name: a, cmd: [make], produces: [dist] }, { name: b, cmd: [make, test] }]")],
    ["needs the network", gates("[{ name: a, cmd: [make], network: true }]")],
  ])("whose fast mode %s leaves the discovered tests, and says so", async (why, text) => {
    const { tools, notes } = await discover({ ...project, "slipway/gates.yaml": text });
    expect(Object.keys(tools)).toEqual(["build-node", "tests-node"]);
    expect(notes.join()).toContain(why);
  });
});
