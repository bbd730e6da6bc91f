import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { goRun } from "../go/tests.ts";
import { cargoMessages, cargoResult } from "../rust/compile.ts";
import { libtestRun } from "../rust/tests.ts";
import { compileResult } from "./compile.ts";
import { readJunitReport } from "./junit-report.ts";
import { END_MARK, programRun, RESULT_MARK } from "./result-lines.ts";
import { whyStopped, type ToolOutcome } from "./run-tool.ts";
import { joinRuns, judged, passedTest } from "./test-report.ts";

const ended = (more: Partial<ToolOutcome> = {}): ToolOutcome => ({
  exitCode: 0,
  signal: null,
  timedOut: false,
  aborted: false,
  limit: null,
  durationMs: 1,
  stdout: "",
  stderr: "",
  ...more,
});
const STOPS: readonly (readonly [string, Partial<ToolOutcome>, string])[] = [
  [
    "a missing program",
    { exitCode: null, spawnError: { code: "ENOENT", message: "no g++", transient: false } },
    "could not be started: no g++",
  ],
  ["a time limit", { exitCode: null, timedOut: true }, "did not end in time"],
  ["another limit", { exitCode: null, limit: "memory" }, "used more than the sandbox allows: memory"],
  ["a signal", { exitCode: null, signal: "SIGSEGV" }, "was ended by SIGSEGV"],
];

describe("a command that was stopped", () => {
  test.each(STOPS)("by %s is described", (_, outcome, text) => {
    expect(whyStopped(ended(outcome), "it")).toContain(text);
    expect(compileResult(ended(outcome), "it")).toMatchObject({
      passed: false,
      problems: [{ file: null, message: expect.stringContaining(text) as string }],
    });
    expect(cargoResult(ended(outcome)).problems[0]?.message).toContain(text.replace("it ", "cargo "));
    expect(libtestRun(ended(outcome)).broken).toContain(text);
    expect(goRun(ended(outcome)).broken).toContain(text);
    expect(programRun("a", ended(outcome), "end").broken).toContain(text);
  });
});

describe("the output of a compiler", () => {
  test("has its problems with file, line and column, which may be missing", () => {
    const stderr =
      "./a.go:3:5: undefined: x\nB.java:7: error: missing return\n  int x;\nnote: something\na.cpp:1:2: fatal error: no header\n";
    const isError = (line: string) => /:\d+/.test(line);
    expect(compileResult(ended({ exitCode: 1, stderr }), "it", { isError }).problems).toEqual([
      { file: "a.go", line: 3, column: 5, message: "undefined: x" },
      { file: "B.java", line: 7, column: 1, message: "missing return" },
      { file: "a.cpp", line: 1, column: 2, message: "no header" },
    ]);
  });

  test("without a place is one problem with the last lines", () => {
    expect(compileResult(ended({ exitCode: 2, stderr: "one\ntwo\n" }), "it").problems).toEqual([
      { file: null, line: 1, column: 1, message: "it ended with 2: one | two" },
    ]);
    expect(compileResult(ended({ stderr: "a.cpp:1:2: error: only said\n" }), "it")).toEqual({ passed: true, problems: [] });
  });

  test("of cargo is read line by line, without what is not cargo's", () => {
    const error = {
      reason: "compiler-message",
      message: {
        level: "error",
        message: "mismatched types",
        spans: [{ file_name: "src/a.rs", line_start: 2, column_start: 3, is_primary: true }],
      },
    };
    const others = [
      { level: "warning", message: "unused", spans: [] },
      { level: "error", message: "aborting due to 1 previous error", spans: [] },
      { level: "error", message: "no main", spans: [] },
    ];
    const lines = [error, error, ...others.map((message) => ({ reason: "compiler-message", message }))].map((one) => JSON.stringify(one));
    const stdout = ["{ no JSON", "[]", '{"reason": 1}', ...lines].join("\n");
    expect(cargoMessages(stdout)).toHaveLength(5);
    expect(cargoResult(ended({ exitCode: 101, stdout })).problems).toEqual([
      { file: "src/a.rs", line: 2, column: 3, message: "mismatched types" },
      { file: null, line: 1, column: 1, message: "no main" },
    ]);
    expect(cargoResult(ended({ exitCode: 101, stderr: "error: no Cargo.toml\n" })).problems[0]?.message).toContain("no Cargo.toml");
  });
});

describe("the output of Rust's test runner", () => {
  const OUTPUT = `
running 4 tests
test a::good ... ok
test a::bad ... FAILED
test a::later ... ignored, not yet
test a::panics - should panic ... ok

failures:

---- a::bad stdout ----
thread 'a::bad' panicked at src/a.rs:3:5:
assertion failed: x
note: run with RUST_BACKTRACE=1

test result: FAILED. 2 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out
`;

  test("has each test with its result and message", () => {
    const { tests, skipped, broken } = libtestRun(ended({ exitCode: 101, stdout: OUTPUT }));
    expect(tests.map(({ name, result }) => [name, result])).toEqual([
      ["a::good", "PASS"],
      ["a::bad", "FAIL"],
      ["a::panics", "PASS"],
    ]);
    expect(tests[1]?.error?.message).toBe("assertion failed: x");
    expect({ skipped, broken }).toEqual({ skipped: ["a::later"], broken: null });
  });

  test("that ends early, or disagrees with the exit code, is a broken run", () => {
    expect(libtestRun(ended({ stdout: "running 2 tests\ntest a ... ok\n" })).broken).toContain("ended early");
    expect(libtestRun(ended({ exitCode: 0, stdout: OUTPUT })).broken).toContain("ended with 0");
    expect(libtestRun(ended({ stdout: "test a ... FAILED\ntest result: FAILED. 0 passed; 1 failed;" })).tests[0]?.error?.message).toBe(
      "it failed",
    );
  });
});

describe("the events of Go's tests", () => {
  const events = (...all: readonly object[]) => [...all.map((one) => JSON.stringify(one)), "no JSON", "{ nor this"].join("\n");

  test("count the parts of a test, and not the test itself", () => {
    const stdout = events(
      { Action: "run", Test: "TestA" },
      { Action: "run", Test: "TestA/x" },
      { Action: "output", Test: "TestA/x", Output: "    a_test.go:3: got 1\n" },
      { Action: "fail", Test: "TestA/x", Elapsed: 0.5 },
      { Action: "fail", Test: "TestA" },
      { Action: "run", Test: "TestB" },
      { Action: "skip", Test: "TestB" },
      { Action: "run", Test: "TestC" },
      { Action: "pass", Test: "TestC" },
      { Action: "fail" },
    );
    const run = goRun(ended({ exitCode: 1, stdout }));
    expect(run.tests.map(({ name, result, duration_ms }) => [name, result, duration_ms])).toEqual([
      ["TestA/x", "FAIL", 500],
      ["TestC", "PASS", 0],
    ]);
    expect(run).toMatchObject({ skipped: ["TestB"], broken: null });
    expect(run.tests[0]?.error?.message).toBe("a_test.go:3: got 1");
  });

  test("a test that never ended fails, and a panic is the code's", () => {
    const stdout = events({ Action: "run", Test: "TestA" }, { Action: "output", Test: "TestA", Output: "panic: no\n" }, { Action: "fail" });
    expect(goRun(ended({ exitCode: 2, stdout })).tests[0]).toMatchObject({ result: "FAIL", error: { name: "panic", by: "code" } });
    expect(goRun(ended({ stdout: events({ Action: "run", Test: "TestA" }, { Action: "pass", Test: "TestA" }) })).broken).toContain(
      "ended early",
    );
  });
});

describe("a test program", () => {
  const line = (result: string, name: string, message = "") => `${RESULT_MARK} \t${result}\t${name}\t${message}`;

  test("prints its results, and its end", () => {
    const stdout = [line("PASS", "a"), line("FAIL", "b", "why"), line("FAIL", "c"), END_MARK].join("\n");
    const run = programRun("t.cpp", ended({ exitCode: 1, stdout }), "end");
    expect(run.tests.map(({ name, result, error }) => [name, result, error?.message])).toEqual([
      ["a", "PASS", undefined],
      ["b", "FAIL", "why"],
      ["c", "FAIL", "it failed"],
    ]);
    expect(run.broken).toBeNull();
  });

  test("that prints results and ends early, or with another code, is broken", () => {
    expect(programRun("t", ended({ stdout: line("PASS", "a") }), "end").broken).toContain("ended early");
    expect(programRun("t", ended({ exitCode: 3, stdout: `${line("PASS", "a")}\n${END_MARK}` }), "end").broken).toContain("ended early");
  });

  test("without results is one test, by its exit code and the line after its main", () => {
    expect(programRun("t", ended({ stdout: "x\nend\n" }), "end")).toMatchObject({ tests: [{ name: "t", result: "PASS" }], broken: null });
    expect(programRun("t", ended({ stdout: "x\n" }), "end")).toMatchObject({
      tests: [],
      broken: expect.stringContaining("early") as string,
    });
    expect(programRun("t", ended({ exitCode: 1, stderr: "boom" }), "end").tests[0]?.error?.message).toBe("boom");
    expect(programRun("t", ended({ exitCode: null, signal: "SIGABRT" }), "end").tests[0]?.error?.message).toContain("SIGABRT");
  });
});

describe("a JUnit report", () => {
  const read = (text: string | null) => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "slipway-report-")));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    if (text !== null) writeFileSync(join(folder, "r.xml"), text);
    return readJunitReport(join(folder, "r.xml"), "r.xml");
  };

  test("has tests, failures, errors and skipped tests", async () => {
    const run = await read(
      `<testsuites><testsuite><testcase classname="a.b" name="x" time="0.25"/><testcase name="y"><failure message="AssertionError: 1 != 2"/></testcase><testcase name="z"><error type="ImportError" message="no"/></testcase><testcase name="w"><failure message="ValueError: v"/></testcase><testcase name="s"><skipped/></testcase></testsuite></testsuites>`,
    );
    expect(run.tests.map(({ name, result, error, duration_ms }) => [name, result, error?.name, error?.by, duration_ms])).toEqual([
      ["a.b > x", "PASS", undefined, undefined, 250],
      ["y", "FAIL", "AssertionError", "check", 0],
      ["z", "FAIL", "ImportError", "test", 0],
      ["w", "FAIL", "ValueError", "code", 0],
    ]);
    expect(run).toMatchObject({ skipped: ["s"], broken: null });
  });

  test.each([null, "", "no XML", "<testsuites>", '<!DOCTYPE a [<!ENTITY b "c">]><testsuites/>'])("%j is a broken run", async (text) => {
    expect((await read(text)).broken).toBe("the test runner wrote no report");
  });
});

test("several runs become one, with a number behind a name that occurs again", () => {
  const one = { tests: [passedTest("a"), passedTest("b")], skipped: ["s"], broken: null };
  expect(joinRuns([one, { ...one, broken: "no" }])).toMatchObject({
    tests: [{ name: "a" }, { name: "b" }, { name: "a (2)" }, { name: "b (2)" }],
    skipped: ["s", "s"],
    broken: "no",
  });
});

test("a runner whose exit code contradicts its report breaks the run", () => {
  const run = { tests: [passedTest("a")], skipped: [], broken: null };
  expect(judged(run, ended(), { passed: 0, failed: [1] }).broken).toBeNull();
  expect(judged(run, ended({ exitCode: 1 }), { passed: 0, failed: [1] }).broken).toBe("the test runner ended with 1");
});
