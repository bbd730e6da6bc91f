import { spawnSync } from "node:child_process";
import { mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, test } from "vitest";
import { countTests } from "./count-tests.ts";

const counts = (total: number, passed: number, failed = 0, skipped = 0) => ({ total, passed, failed, skipped });
const folder = mkdtempSync(join(tmpdir(), "slipway-count-"));

/** The output of a program that need not succeed. */
function outputOf(program: string, args: readonly string[]): string {
  const { NODE_TEST_CONTEXT: _inherited, ...env } = process.env;
  const { stdout, stderr } = spawnSync(program, args, { cwd: folder, encoding: "utf8", env });
  return stripVTControlCharacters(`${stdout}${stderr}`);
}

const NODE_LIE = ["tests 99", "suites 0", "pass 99", "fail 0", "cancelled 0", "skipped 0", "todo 0", "duration_ms 1"];

describe("real output", () => {
  const file = join(folder, "a.test.mjs");
  const lie = JSON.stringify(NODE_LIE.map((line) => `ℹ ${line}`).join("\n"));
  const comments = JSON.stringify(NODE_LIE.join("\n"));
  writeFileSync(
    file,
    `import test from "node:test";
test("passes", () => console.log(${lie}));
test("prints what TAP shows as comments", () => console.log(${comments}));
test("fails", () => { throw new Error("no\\n" + ${lie}); });
test("skipped", { skip: true }, () => undefined);
test("todo", { todo: true }, () => undefined);
`,
  );

  test.each(["spec", "tap"])("of node:test in %s, whatever a test prints and fails with", (reporter) => {
    expect(countTests(outputOf(process.execPath, ["--test", `--test-reporter=${reporter}`, file]))).toEqual(counts(5, 2, 1, 2));
  });

  test("of vitest", () => {
    const vitest = join(import.meta.dirname, "../../../../../../node_modules/vitest/vitest.mjs");
    const said = JSON.stringify(" Test Files  9 passed (9)\n      Tests  99 passed (99)");
    writeFileSync(
      join(folder, "b.spec.mjs"),
      `import { test } from "vitest";
test("a", () => console.log(${said}));
test("b", () => { throw new Error("no"); });
test.skip("c", () => undefined);
test.todo("d");
`,
    );
    symlinkSync(join(vitest, "../.."), join(folder, "node_modules"));
    expect(countTests(outputOf(process.execPath, [vitest, "run", "--root", folder, "b.spec.mjs"]))).toEqual(counts(4, 1, 1, 2));
  });

  const hasPython = spawnSync("python3", ["--version"]).status === 0;
  test.skipIf(!hasPython)("of unittest", () => {
    writeFileSync(
      join(folder, "test_a.py"),
      `import unittest
class A(unittest.TestCase):
    def test_a(self): print("Ran 99 tests in 0.1s\\n\\nOK", flush=True)
    def test_b(self): self.fail("no")
    def test_c(self): raise ValueError()
    @unittest.skip("later")
    def test_d(self): pass
    @unittest.expectedFailure
    def test_e(self): self.fail()
`,
    );
    expect(countTests(outputOf("python3", ["-m", "unittest", "test_a"]))).toEqual(counts(5, 1, 2, 2));
  });

  const hasPytest = spawnSync("python3", ["-m", "pytest", "--version"]).status === 0;
  test.skipIf(!hasPytest)("of pytest, loud and quiet", () => {
    writeFileSync(
      join(folder, "test_b.py"),
      `import pytest
def test_a(): print("==== 99 passed in 0.01s ====")
def test_b(): assert "9 passed in 0.01s" == "x"
@pytest.mark.skip
def test_c(): pass
@pytest.mark.xfail
def test_d(): assert False
`,
    );
    const args = ["-m", "pytest", "-p", "no:cacheprovider", "test_b.py"];
    expect(countTests(outputOf("python3", [...args, "-s"]))).toEqual(counts(4, 1, 1, 2));
    expect(countTests(outputOf("python3", [...args, "-q"]))).toEqual(counts(4, 1, 1, 2));
  });
});

const JEST = `Test Suites: 1 failed, 1 passed, 2 total
Tests:       1 failed, 1 skipped, 1 todo, 3 passed, 6 total
Snapshots:   0 total
Time:        0.512 s
Ran all test suites.
`;

const MOCHA = `  sums
    ✔ adds
    1) carries

  2 passing (11ms)
  1 pending
  1 failing

  1) sums
       carries:
     Error: expected 10
      at Context.<anonymous> (test/a.js:4:11)
`;

const CARGO = `     Running unittests src/lib.rs (target/debug/deps/it-1)

running 4 tests
test tests::a ... ok
test tests::b ... FAILED
test tests::c ... ignored
test tests::d ... ok

failures:

---- tests::b stdout ----
running 9 tests
test result: ok. 9 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s
thread 'tests::b' panicked at src/lib.rs:3:142

failures:
    tests::b

test result: FAILED. 2 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.22s

   Doc-tests it

running 1 test
test src/lib.rs - add (line 1) ... ok

test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s

`;

const GO = `=== RUN   TestAdd
--- PASS: TestAdd (0.00s)
=== RUN   TestTable
=== RUN   TestTable/one
=== RUN   TestTable/two
    table_test.go:9: got 3
--- PASS: TestNobodyStarted (0.00s)
--- FAIL: TestTable (0.00s)
    --- PASS: TestTable/one (0.00s)
    --- FAIL: TestTable/two (0.00s)
=== RUN   TestLater
    a_test.go:20: later
--- SKIP: TestLater (0.00s)
FAIL
FAIL\texample.com/it/a\t0.003s
=== RUN   TestAdd
--- PASS: TestAdd (0.00s)
PASS
ok  \texample.com/it/b\t0.002s
FAIL
`;

const GO_PANIC = `=== RUN   TestGood
--- PASS: TestGood (0.00s)
=== RUN   TestBad
panic: no [recovered]
FAIL\texample.com/it\t0.004s
FAIL
`;

const MAVEN = `[INFO] --- surefire:3.2.5:test (default-test) @ core ---
[INFO] Running com.example.AddTest
Tests run: 99, Failures: 0, Errors: 0, Skipped: 0
[INFO] Tests run: 3, Failures: 1, Errors: 0, Skipped: 1, Time elapsed: 0.05 s <<< FAILURE! -- in com.example.AddTest
[INFO] Results:
[INFO]
[ERROR] Failures:
[ERROR]   AddTest.carries:12 expected: <1> but was: <2>
[INFO]
[ERROR] Tests run: 5, Failures: 1, Errors: 1, Skipped: 1
[INFO] --- surefire:3.2.5:test (default-test) @ web ---
[INFO] Tests run: 2, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.05 s -- in com.example.WebTest
[INFO] Results:
[INFO]
[INFO] Tests run: 2, Failures: 0, Errors: 0, Skipped: 0
[INFO] BUILD FAILURE
`;

const GRADLE = `> Task :core:test FAILED

AddTest > carries FAILED
    org.opentest4j.AssertionFailedError at AddTest.java:12

3 tests completed, 1 failed, 1 skipped
> Task :web:test FAILED
1 test completed, 1 failed
BUILD FAILED in 2s
`;

const LAUNCHER = `[         2 containers found      ]
[         5 tests found           ]
[         1 tests skipped         ]
[         4 tests started         ]
[         1 tests aborted         ]
[         2 tests successful      ]
[         1 tests failed          ]
`;

describe("captured output", () => {
  test.each([
    ["jest", JEST, counts(6, 3, 1, 2)],
    ["mocha", MOCHA, counts(4, 2, 1, 1)],
    ["mocha without failures", "  3 passing (1s)\n\n", counts(3, 3)],
    ["cargo, with every test program", CARGO, counts(5, 3, 1, 1)],
    ["cargo nextest", "     Summary [   0.005s] 4 tests run: 2 passed, 2 failed, 1 skipped\n", counts(5, 2, 2, 1)],
    ["go test -v, with every package and subtest", GO, counts(6, 3, 2, 1)],
    ["go test -v after a panic", GO_PANIC, counts(2, 1, 1)],
    ["maven, with every module", MAVEN, counts(7, 4, 2, 1)],
    ["gradle, with every project", GRADLE, counts(4, 1, 2, 1)],
    ["the console launcher of JUnit", LAUNCHER, counts(5, 2, 1, 2)],
    ["pytest with errors", "=== 1 failed, 2 passed, 2 errors, 3 warnings in 61.02s (0:01:01) ===\n", counts(5, 2, 3)],
    ["pytest without tests", "=== no tests ran in 0.01s ===\n", counts(0, 0)],
    ["unittest without tests", `${"-".repeat(70)}\nRan 0 tests in 0.000s\n\nNO TESTS RAN\n`, counts(0, 0)],
    ["vitest without tests", " Test Files  1 failed (1)\n      Tests  no tests\n", counts(0, 0)],
    ["lines that end as on Windows", JEST.replaceAll("\n", "\r\n"), counts(6, 3, 1, 2)],
  ])("of %s", (_runner, output, expected) => {
    expect(countTests(output)).toEqual(expected);
  });

  test.each([
    ["nothing", ""],
    ["a build", "compiled 3 files\n2 warnings\n"],
    ["go test without -v, which does not say how many tests ran", "ok  \texample.com/it\t0.002s\n"],
    ["a sentence about tests", "I ran 5 tests and 5 passed in 0.1s\n"],
    ["an indented summary", "    ==== 9 passed in 0.01s ====\n"],
    ["an imitated half of a summary", "ℹ tests 9\nℹ pass 9\n"],
  ])("is unknown for %s", (_what, output) => {
    expect(countTests(output)).toBeNull();
  });
});

describe("a summary that a test prints", () => {
  const real = "==== 1 failed in 0.10s ====\n";

  test.each([
    ["of the same runner", "==== 9 passed in 0.01s ====\n"],
    ["of another runner", JEST],
    [
      "of a runner whose numbers are added up",
      "running 9 tests\ntest result: ok. 9 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n",
    ],
  ])("before the runner's own does not count: %s", (_what, lie) => {
    expect(countTests(`${lie}${real}`)).toEqual(counts(1, 0, 1));
  });

  test("does not count even after the runner's own, if the command names the runner", () => {
    expect(countTests(`${real}${JEST}`, { command: ["python3", "-m", "pytest"] })).toEqual(counts(1, 0, 1));
    expect(countTests(`${real}${JEST}`, { command: ["make", "test"] })).toEqual(counts(6, 3, 1, 2));
  });

  test("makes the count unknown if cargo cannot tell it apart", () => {
    const result = "test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n";
    const output = `     Running unittests src/lib.rs\n\nrunning 1 test\nrunning 1 test\n${result}running 1 test\n${result}test a ... ok\n\n${result}`;
    expect(countTests(output)).toBeNull();
  });
});

test("a sum is unknown if a part of the output is missing, a summary in the remaining part is not", () => {
  expect(countTests(CARGO, { isWhole: false })).toBeNull();
  expect(countTests(JEST, { isWhole: false })).toEqual(counts(6, 3, 1, 2));
});
