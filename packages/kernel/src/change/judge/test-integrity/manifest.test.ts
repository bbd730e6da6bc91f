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

  test("a new or deleted package is no finding", () => {
    expect(findings("packages/b/package.json", null, "{}")).toEqual([]);
    expect(findings("package.json", "{}", null)).toEqual([]);
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
