import { spawnSync } from "node:child_process";
import { dirname } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { callAs, LETTERS, lettersOn } from "../../testing/letters.ts";
import { openScratchKernel, POLICY, type ScratchKernel } from "../../testing/scratch-kernel.ts";
import { checksOf } from "../evidence/checks.ts";
import { canaryRecord } from "./record.ts";

let scratch: ScratchKernel;
afterEach(() => scratch.close());

const WITH_CANARY = POLICY.replace("canary: off", "canary: final");
const REPORT = "parsers: { tests: { type: junit_xml, path: reports/junit.xml } }\n";

type Files = Readonly<Record<string, string>>;

/** The same steps in both modes. */
function gates(...commands: readonly (readonly string[])[]): string {
  const steps = commands.map((cmd, index) => JSON.stringify({ name: `step-${index + 1}`, cmd })).join(", ");
  return `version: 1\nprofiles: { default: { modes: { fast: [${steps}], full: [${steps}] } } }\n`;
}

/** A change that writes or, with null, deletes these files. */
async function changed(project: Files, work: Readonly<Record<string, string | null>>, policy = WITH_CANARY, env: Files = {}) {
  scratch = await openScratchKernel({ "slipway/policy.yaml": policy, ...project }, { env });
  const named = (wanted: (path: string) => boolean) => Object.keys(work).filter(wanted);
  const files = {
    create: named((path) => project[path] === undefined),
    modify: named((path) => project[path] !== undefined && work[path] !== null),
    delete: named((path) => work[path] === null),
  };
  await lettersOn(scratch).planned({ allowed_areas: ["."], files });
  await patch(work);
}

async function patch(work: Readonly<Record<string, string | null>>) {
  const start = scratch.git("rev-parse", "HEAD").trim();
  for (const [path, text] of Object.entries(work)) {
    if (text === null) scratch.git("rm", "--quiet", path);
    else scratch.write(path, text);
  }
  scratch.git("add", "--all", "--", ...Object.keys(work).filter((path) => work[path] !== null));
  const unified_diff = scratch.git("diff", "--cached", "--binary", "--no-renames");
  scratch.git("reset", "--quiet", "--hard", start);
  await scratch.kernel.features.applyPatch(callAs(), { ...LETTERS, unified_diff });
}

async function full() {
  const { passed, failure } = await scratch.kernel.features.runGates(callAs(), { ...LETTERS, mode: "full" });
  const checks = await checksOf(scratch.records.database.db, LETTERS);
  const row = checks.findLast(({ kind }) => kind === "canary");
  return { passed, failure, status: row?.status, canary: row === undefined ? null : canaryRecord(row) };
}

const NODE = [process.execPath, "--test"];
const REPORTING = [
  ...NODE,
  "--test-reporter=spec",
  "--test-reporter-destination=stdout",
  "--test-reporter=junit",
  "--test-reporter-destination=reports/junit.xml",
];
const SUM = "export function sum(list) {\n  return list.reduce((left, right) => left + right, 0);\n}\n";
const SUM_TEST = `import assert from "node:assert/strict";
import { test } from "node:test";
import { sum } from "../src/sum.js";

test("adds the numbers", () => {
  assert.equal(sum([1, 2]), 3);
});
`;
const SUMS = { "package.json": '{ "type": "module" }\n', "src/sum.js": SUM, "test/sum.test.js": SUM_TEST };
const REPORTED = { ...SUMS, "reports/.gitignore": "*\n", "slipway/gates.yaml": gates(REPORTING) + REPORT };
const BETTER = SUM.replace("0);", "0); // sums");

describe("a gate of node:test", () => {
  test("turns red at a planted test: one additional run, none for the same change again", async () => {
    await changed(REPORTED, { "src/sum.js": BETTER });
    const { passed, status, canary } = await full();
    expect({ passed, status, canary }).toMatchObject({
      passed: true,
      status: "pass",
      canary: {
        outcome: "proven",
        runs: 1,
        collects: "test",
        planted: [
          {
            kind: "test",
            path: expect.stringMatching(/^test\/[a-z-]+\.test\.js$/),
            near: "test/sum.test.js",
            framework: "node:test",
            fate: "red",
          },
        ],
      },
    });
    expect(scratch.git("-C", ".worktrees/letters", "status", "--porcelain", "--ignored")).toBe(" M src/sum.js\n");
    expect((await full()).canary).toMatchObject({ outcome: "reused", runs: 0 });
  });

  const TRICKS: Readonly<Record<string, string>> = {
    "an assertion library that no longer asserts": `import assert from "node:assert/strict";\nassert.equal = () => undefined;\n`,
    "an exit code that is always 0, and output without failures": `const write = process.stdout.write.bind(process.stdout);\nprocess.stdout.write = () => true;\nprocess.stderr.write = () => true;\nprocess.on("exit", () => { process.exitCode = 0; });\nvoid write;\n`,
    "a process that ends well at the first failure": `import assert from "node:assert/strict";\nassert.equal = (a, b) => { if (a !== b) process.exit(0); };\n`,
    "a report of its own in place of the runner's": `import fs from "node:fs";
const file = "reports/junit.xml";
try { fs.renameSync(file, file + ".old"); } catch {}
fs.writeFileSync(file, '<testsuites>' + Array.from({ length: 500 }, (_, at) => '<testcase name="t' + at + '"/>').join("") + "</testsuites>");
`,
  };
  test.each(Object.keys(TRICKS))("%s is caught", async (trick) => {
    await changed(REPORTED, { "src/sum.js": `${TRICKS[trick]}\n${BETTER}` });
    const { passed, failure, status, canary } = await full();
    expect({ passed, status, canary }, JSON.stringify(canary)).toMatchObject({
      passed: false,
      status: "fail",
      canary: { outcome: "not_proven" },
    });
    expect(failure).toMatchObject({
      code: "verdict_not_proven",
      message: expect.stringMatching(
        /^The full gate did not turn red although a failing test was planted in it \(test\/\S+\.test\.js\).*, so its verdict proves nothing\.$/,
      ),
    });
  });

  test("a list of files in the command: an exception in the changed file turns it red, and the next change pays for one run", async () => {
    const project = { ...SUMS, "slipway/gates.yaml": gates([...NODE, "test/sum.test.js"]) };
    await changed(project, { "src/sum.js": BETTER });
    expect((await full()).canary).toMatchObject({
      outcome: "proven",
      runs: 2,
      collects: "load",
      planted: [{ fate: "unseen" }, { kind: "load", path: "src/sum.js", fate: "red" }],
    });
    await scratch.kernel.features.applyPatch(callAs(), {
      ...LETTERS,
      unified_diff: `diff --git a/src/sum.js b/src/sum.js\n--- a/src/sum.js\n+++ b/src/sum.js\n@@ -3 +3,2 @@\n }\n+// more\n`,
    });
    expect((await full()).canary).toMatchObject({ outcome: "proven", runs: 1, planted: [{ kind: "load", fate: "red" }] });
  });

  test("a step that fails on the new file itself proves nothing; the test after it does", async () => {
    const onlyKnown = ["sh", "-c", "ls test | grep -v '^sum' && exit 1; exit 0"];
    await changed({ ...SUMS, "slipway/gates.yaml": gates(onlyKnown, NODE) }, { "src/sum.js": BETTER });
    expect((await full()).canary).toMatchObject({ outcome: "proven", runs: 1, planted: [{ step: "step-2" }] });
  });

  test("a gate that runs no test at all is not proven, in CommonJS too", async () => {
    const project = {
      "src/sum.js": "exports.sum = 1;\n",
      "test/sum.spec.js": 'const { it } = require("node:test");\nit("is one", () => {});\n',
      "slipway/gates.yaml": gates(["true"]),
    };
    await changed(project, { "src/sum.js": "exports.sum = 1 + 0;\n" });
    expect((await full()).canary).toMatchObject({ outcome: "not_proven", runs: 2 });
  });

  test("a change that deletes every test does not escape", async () => {
    await changed({ ...SUMS, "slipway/gates.yaml": gates(["true"]) }, { "test/sum.test.js": null });
    expect((await full()).canary).toMatchObject({ outcome: "not_proven", planted: [{ kind: "test", near: "test/sum.test.js" }] });
  });
});

describe("where nothing is planted", () => {
  test("only documents changed", async () => {
    await changed({ ...SUMS, "README.md": "sums\n", "slipway/gates.yaml": gates(["true"]) }, { "README.md": "sums of numbers\n" });
    expect(await full()).toMatchObject({ passed: true, status: "pass", canary: { outcome: "documents", runs: 0 } });
  });

  test("no framework and no language that Slipway knows", async () => {
    await changed({ "run.sh": "true\n", "slipway/gates.yaml": gates(["sh", "run.sh"]) }, { "run.sh": "true # all\n" });
    expect(await full()).toMatchObject({ passed: true, canary: { outcome: "nothing", unknown: [".sh"] } });
  });

  test("the policy turns it off, which the check of the mode says", async () => {
    await changed({ ...SUMS, "slipway/gates.yaml": gates(["true"]) }, { "src/sum.js": BETTER }, POLICY);
    expect(await full()).toMatchObject({ passed: true, canary: null });
    const [mode] = (await checksOf(scratch.records.database.db, LETTERS)).filter(({ kind }) => kind === "mode");
    expect(mode?.counts).toMatchObject({ canary: "off" });
  });

  test("every gate mode gets one if the policy says so", async () => {
    await changed({ ...SUMS, "slipway/gates.yaml": gates(NODE) }, { "src/sum.js": BETTER }, POLICY.replace("canary: off", "canary: every"));
    const { canary } = await scratch.kernel.features.runGates(callAs(), { ...LETTERS, mode: "fast" });
    expect(canary).toMatchObject({ outcome: "proven", runs: 1 });
  });
});

const PY = "def total(amounts):\n    return sum(amounts)\n";
const has = (program: string, ...args: string[]) => spawnSync(program, args, { stdio: "ignore" }).status === 0;

describe.skipIf(!has("python3", "--version"))("a gate of Python", () => {
  const UNITTEST = `import unittest\n\nimport ledger\n\n\nclass TotalTest(unittest.TestCase):\n    def test_total(self):\n        self.assertEqual(ledger.total([1, 2]), 3)\n`;
  const unit = { "ledger.py": PY, "tests/__init__.py": "", "tests/test_ledger.py": UNITTEST };
  const better = PY.replace("sum(amounts)", "sum(list(amounts))");

  test("unittest, with a discovery pattern", async () => {
    const project = {
      ...unit,
      "slipway/gates.yaml": gates(["python3", "-m", "unittest", "discover", "-s", "tests", "-t", ".", "-p", "test_*.py"]),
    };
    await changed(project, { "ledger.py": better });
    expect((await full()).canary).toMatchObject({
      outcome: "proven",
      runs: 1,
      planted: [{ framework: "unittest", path: expect.stringMatching(/^tests\/test_\w+\.py$/) }],
    });
  });

  test("a TestCase that was told to pass is caught", async () => {
    const project = { ...unit, "slipway/gates.yaml": gates(["python3", "-m", "unittest", "discover", "-s", "tests", "-t", "."]) };
    await changed(project, {
      "ledger.py": `import unittest\nunittest.TestResult.wasSuccessful = lambda self: True\nunittest.TestResult.addFailure = lambda *a: None\n\n${better}`,
    });
    expect(await full()).toMatchObject({ passed: false, canary: { outcome: "not_proven", planted: [{ fate: "green" }] } });
  });

  test.skipIf(!has("python3", "-c", "import pytest"))("pytest, and a plugin that turns every outcome to passed", async () => {
    const plugin = `import pytest\n\n\n@pytest.hookimpl(hookwrapper=True)\ndef pytest_runtest_makereport(item, call):\n    result = yield\n    result.get_result().outcome = "passed"\n`;
    const project = {
      "ledger.py": PY,
      "test_ledger.py": "from ledger import total\n\n\ndef test_total():\n    assert total([1]) == 1\n",
      "slipway/gates.yaml": gates(["python3", "-m", "pytest", "-q", "-p", "no:cacheprovider"]),
    };
    await changed({ ...project, "conftest.py": "" }, { "conftest.py": plugin, "ledger.py": better });
    expect(await full()).toMatchObject({
      passed: false,
      canary: { outcome: "not_proven", planted: [{ framework: "pytest", fate: "green" }] },
    });
    await scratch.close();
    await changed(project, { "ledger.py": better });
    expect((await full()).canary).toMatchObject({ outcome: "proven", runs: 1 });
  });
});

describe.skipIf(!has("go", "version"))("a gate of Go", () => {
  const go = { "go.mod": "module example.com/sums\n\ngo 1.21\n", "sum.go": "package sums\n\nfunc One() int { return 1 }\n" };
  const one = 'package sums\n\nimport "testing"\n\nfunc TestOne(t *testing.T) {\n\tif One() != 1 {\n\t\tt.Fatal("not one")\n\t}\n}\n';
  test("go test, and a TestMain that always ends well", async () => {
    const project = { ...go, "sum_test.go": one, "slipway/gates.yaml": gates(["go", "test", "./..."]) };
    await changed(project, { "sum.go": go["sum.go"].replace("1 }", "2 - 1 }") });
    expect((await full()).canary).toMatchObject({ outcome: "proven", runs: 1 });
    await scratch.close();
    const main = 'package sums\n\nimport (\n\t"os"\n\t"testing"\n)\n\nfunc TestMain(m *testing.M) {\n\tm.Run()\n\tos.Exit(0)\n}\n';
    await changed(project, { "main_test.go": main });
    expect(await full()).toMatchObject({ passed: false, canary: { outcome: "not_proven" } });
  });
});

/** Without the proxy of a version manager, which reads its settings from the home folder. */
const cargo = spawnSync("rustup", ["which", "cargo"], { encoding: "utf8" }).stdout?.trim() ?? "";

describe.skipIf(cargo === "")("a gate of Rust", () => {
  test("cargo test, with the tests inside the sources", { timeout: 120_000 }, async () => {
    const lib =
      "pub fn one() -> i32 {\n    1\n}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn is_one() {\n        assert_eq!(super::one(), 1);\n    }\n}\n";
    const project = {
      "Cargo.toml": '[package]\nname = "sums"\nversion = "0.1.0"\nedition = "2021"\n',
      "Cargo.lock": 'version = 3\n\n[[package]]\nname = "sums"\nversion = "0.1.0"\n',
      ".gitignore": "target\n",
      "src/lib.rs": lib,
      "slipway/gates.yaml": gates(["cargo", "test", "--offline", "--lib"]),
    };
    await changed(project, { "src/lib.rs": lib.replace("    1\n}", "    2 - 1\n}") }, WITH_CANARY, {
      PATH: `${dirname(cargo)}:${process.env["PATH"]}`,
    });
    expect((await full()).canary).toMatchObject({ outcome: "proven", runs: 1, planted: [{ framework: "cargo test", path: "src/lib.rs" }] });
  });
});
