import { spawnSync } from "node:child_process";
import { dirname } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { ScratchKernel } from "../../testing/scratch-kernel.ts";
import { changedProject, fullGate, gates, WITH_CANARY } from "./testing/changed-gate.ts";

let scratch: ScratchKernel;
afterEach(() => scratch.close());

async function changed(...given: Parameters<typeof changedProject>) {
  scratch = await changedProject(...given);
}
const full = () => fullGate(scratch);

/** An exception in the test's file is shown, and not that the test fails. */
const HIDDEN = expect.arrayContaining([expect.objectContaining({ kind: "test", fate: "green" })]) as unknown;

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
    expect(await full()).toMatchObject({
      passed: false,
      canary: { outcome: "not_proven", planted: [{ fate: "unseen" }, { kind: "load", fate: "green" }] },
    });
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
      canary: { outcome: "not_proven", planted: HIDDEN },
    });
    await scratch.close();
    await changed(project, { "ledger.py": better });
    expect((await full()).canary).toMatchObject({ outcome: "proven", runs: 1 });
  });
});

describe.skipIf(!has("go", "version"))("a gate of Go", () => {
  const go = { "go.mod": "module example.com/sums\n\ngo 1.21\n", "sum.go": "package sums\n\nfunc One() int { return 1 }\n" };
  const one = 'package sums\n\nimport "testing"\n\nfunc TestOne(t *testing.T) {\n\tif One() != 1 {\n\t\tt.Fatal("not one")\n\t}\n}\n';
  test("go test, and a TestMain that always ends well", { timeout: 300_000 }, async () => {
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
