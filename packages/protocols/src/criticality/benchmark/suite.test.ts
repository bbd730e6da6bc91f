import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { openSandbox } from "@slipway/kernel/host/sandbox/sandbox";
import type { LanguageAdapter, SourceTree } from "@slipway/languages/adapter";
import { languageAdapter } from "@slipway/languages/adapters";
import { testFiles } from "@slipway/languages/property-tests/test-files";
import { withBodies } from "../lattice/lattice.ts";
import { caseLattice, hiddenTestPath } from "./case-lattice.ts";
import { BENCHMARK_LEVELS } from "./suite/case.ts";
import { SUITE, suiteVersions } from "./suite/suite.ts";
import { REFERENCE } from "./testing/reference.ts";

let language: LanguageAdapter;

beforeAll(async () => {
  language = await languageAdapter("typescript", { env: { PATH: process.env["PATH"] } });
});

/** All cases in one tree, so that one compiler and one process do: their paths never meet. */
function wholeSuite() {
  const lattices = SUITE.map((one) => caseLattice(one, language));
  const tree = Object.assign({}, ...lattices.map((lattice) => lattice.tree)) as Record<string, string>;
  const functions = lattices.flatMap((lattice) => lattice.functions);
  const tests = functions.flatMap(({ id, path, name, contract }) => {
    const made = language.unitTest(tree, path, name, contract);
    return made === null ? [] : [{ of: id, test: made }];
  });
  const hidden = Object.fromEntries(SUITE.map((one) => [hiddenTestPath(one), one.hidden]));
  return { tree, functions, tests, hidden };
}

/** All tests in one process without a sandbox: a sandbox for each file takes minutes. */
function runWithNode(files: SourceTree): { status: number | null; output: string } {
  const folder = mkdtempSync(join(tmpdir(), "slipway-suite-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  symlinkSync(join(import.meta.dirname, "../../../../../node_modules"), join(folder, "node_modules"));
  const args = ["--test", "--test-isolation=none", "--test-reporter=tap", "tests/**/*.test.ts"];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
  return { status, output: `${stdout}${stderr}` };
}

test("[CRI-159] the suite has single functions, modules of 5 to 10 functions with dependencies, and a CLI tool, a REST API and a library", () => {
  const sizes = (level: string) => SUITE.filter((one) => one.level === level).map((one) => caseLattice(one, language).functions.length);
  expect(sizes("micro")).toEqual([1, 1, 1, 1, 1, 1, 1, 1]);
  expect(sizes("module").every((size) => size >= 5 && size <= 10)).toBe(true);
  expect(SUITE.filter(({ level }) => level === "module").every(({ calls }) => Object.keys(calls).length > 0)).toBe(true);
  expect(SUITE.filter(({ level }) => level === "integration").map(({ id }) => id)).toEqual([
    "integration/cli-tool",
    "integration/rest-api",
    "integration/library",
  ]);
});

test("no file and no function is in two cases", () => {
  const paths = SUITE.flatMap(({ files }) => Object.keys(files));
  expect(new Set(paths).size).toBe(paths.length);
  expect(Object.keys(REFERENCE).toSorted()).toEqual(
    wholeSuite()
      .functions.map(({ id }) => id)
      .toSorted(),
  );
});

test("every function has tests from its contract", () => {
  const { functions, tests } = wholeSuite();
  const tested = new Set(tests.map(({ of }) => of));
  expect(functions.map(({ id }) => id).filter((id) => !tested.has(id))).toEqual([]);
});

test("levels have versions of their own, which change with a case", () => {
  const versions = Object.values(suiteVersions(SUITE));
  expect(new Set(versions).size).toBe(BENCHMARK_LEVELS.length);
  const [first, ...others] = SUITE;
  const edited = SUITE.map((one) => (one === first ? { ...one, title: "another" } : one));
  const { micro, ...rest } = suiteVersions(SUITE);
  for (const cases of [edited, others]) {
    expect(suiteVersions(cases)).toMatchObject(rest);
    expect(suiteVersions(cases).micro).not.toBe(micro);
  }
  for (const version of versions) expect(version).toMatch(/^1-[0-9a-f]{8}$/);
});

test("every case can be solved: correct bodies compile and pass the tests of their contracts and the hidden tests", async () => {
  const { tree, tests, hidden } = wholeSuite();
  const solved = withBodies(tree, new Map(Object.entries(REFERENCE)), language);
  const oracle = await language.openOracle(solved, { sandbox: await openSandbox() });
  expect((await oracle.check()).problems).toEqual([]);
  await oracle.close();
  const files = { ...solved, ...testFiles(tests.map(({ test: one }) => one)), ...hidden };
  const { status, output } = runWithNode(files);
  expect(status, output).toBe(0);
  expect(output).toMatch(/^# fail 0$/m);
  expect(Number(/^# pass (\d+)$/m.exec(output)?.[1])).toBeGreaterThan(130);
}, 120_000);

test("the hidden tests notice bodies that change what they are given or return more than asked", () => {
  const { tree, hidden } = wholeSuite();
  const nearly = {
    ...REFERENCE,
    "src/domain/intervals.ts#joinIntervals": wrong(
      "src/domain/intervals.ts#joinIntervals",
      "[...intervals].sort",
      "(intervals as Interval[]).sort",
    ),
    "src/domain/versions.ts#parseVersion": wrong("src/domain/versions.ts#parseVersion", "{ major:", "{ text, major:"),
  };
  const { output } = runWithNode({ ...withBodies(tree, new Map(Object.entries(nearly)), language), ...hidden });
  const failed = [...output.matchAll(/^ *not ok \d+ - (.+)$/gm)].map(([, title]) => title);
  expect(failed).toEqual(expect.arrayContaining(["leaves what it was given unchanged", "reads versions"]));
});

function wrong(id: keyof typeof REFERENCE, part: string, by: string): string {
  const body = REFERENCE[id] ?? "";
  expect(body).toContain(part);
  return body.replace(part, by);
}
