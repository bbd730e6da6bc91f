import { describe, expect, test } from "vitest";
import { OPEN_SESSION } from "../../tool-server.ts";
import { isTestOf } from "./toolchain-checks.ts";
import { testReport } from "./check-results.ts";
import { LOOPING_FILES, PROGRAM_FILES } from "./testing/program.ts";
import { openScene } from "./testing/scene.ts";
import { toolchainTools } from "./toolchain-tools.ts";

const scene = (files: Readonly<Record<string, string>> = PROGRAM_FILES) => openScene(toolchainTools, files);
const CLAMP_ID = "src/domain/clamp.ts#clamp";

test("[CRI-161] the toolchain server has exactly its four tools", () => {
  expect(toolchainTools(OPEN_SESSION).map(({ name }) => name)).toEqual([
    "verify_structure",
    "run_function_test",
    "run_property_test",
    "check_complexity",
  ]);
});

describe("verify_structure", () => {
  test("[CRI-161] compiles the committed program, and counts functions and holes", async () => {
    const { scratch, ok } = await scene();
    scratch.write("src/domain/clamp.ts", "this is not committed");
    expect(await ok("verify_structure")).toEqual({
      commit: scratch.git("rev-parse", "main").trim(),
      language: "typescript",
      passed: true,
      problem_count: 0,
      problems: [],
      functions: { total: 6, holes: 1 },
      notes: [],
    });
  });

  test("[CRI-161] returns problems of the compiler by file and line, also for a file that does not parse", async () => {
    const { ok } = await scene({
      ...PROGRAM_FILES,
      "src/domain/wrong.ts": 'export const size: number = "large";\n',
      "src/domain/torn.ts": "export function torn( {\n",
    });
    const { passed, problems } = await ok<{ passed: boolean; problems: { file: string; line: number }[] }>("verify_structure");
    expect([passed, new Set(problems.map(({ file }) => file))]).toEqual([false, new Set(["src/domain/wrong.ts", "src/domain/torn.ts"])]);
    expect(problems).toContainEqual(expect.objectContaining({ file: "src/domain/wrong.ts", line: 1 }));
  });

  test("checks the branch that the server was started for", async () => {
    const { scratch, as } = await scene();
    scratch.git("switch", "--quiet", "--create", "other");
    scratch.write("src/domain/wrong.ts", 'export const size: number = "large";\n');
    scratch.git("add", "--all");
    scratch.git("commit", "--quiet", "--message=wrong");
    scratch.git("switch", "--quiet", "main");
    expect(await as({ ref: "other" }).ok("verify_structure")).toMatchObject({
      passed: false,
      commit: scratch.git("rev-parse", "other").trim(),
    });
    expect(await as({ ref: "none" }).refused("verify_structure")).toMatchObject({ code: "input_path_not_found" });
  });
});

describe("run_function_test", () => {
  test("[CRI-161] runs the tests of a contract and returns counts and coverage", async () => {
    expect(await (await scene()).ok("run_function_test", { function_name: CLAMP_ID })).toMatchObject({
      function: CLAMP_ID,
      status: "pass",
      passed: true,
      counts: { declared: 2, passed: 2, failed: 0, skipped: 0 },
      failures: [],
      coverage: { clauses: 2, tested: 2, untested: [] },
    });
  });

  test("[CRI-161] returns the failed check of a wrong body, and nothing that the body printed", async () => {
    const answer = await (await scene()).ok("run_function_test", { function_name: "double" });
    expect(answer).toMatchObject({ status: "fail", passed: false, counts: { failed: 1 }, failures: [{ test: expect.any(String) }] });
    expect(JSON.stringify(answer)).not.toContain("PRINTED-BY-THE-BODY");
  });

  test("a function without a contract is untested, which is no pass", async () => {
    expect(await (await scene()).ok("run_function_test", { function_name: "free" })).toMatchObject({
      status: "untested",
      passed: false,
      coverage: { clauses: 0, tested: 0 },
    });
  });

  test("a hole fails", async () => {
    expect(await (await scene()).ok("run_function_test", { function_name: "open" })).toMatchObject({ passed: false });
  });

  test("[CRI-161] a body that never returns is stopped, and the next call works", async () => {
    const { ok } = await scene(LOOPING_FILES);
    expect(await ok("run_function_test", { function_name: "spin" })).toMatchObject({ status: "timeout", passed: false });
    expect(await ok("check_complexity", { file_path: "src/domain/loop.ts" })).toMatchObject({ file: "src/domain/loop.ts" });
  });

  test("a cancelled call ends with run_cancelled", async () => {
    const { refused } = await scene(LOOPING_FILES);
    const cancelling = new AbortController();
    const call = refused("run_function_test", { function_name: "spin" }, cancelling.signal);
    const waiting = refused("verify_structure", {}, cancelling.signal);
    cancelling.abort();
    expect(await Promise.all([call, waiting])).toMatchObject([{ code: "run_cancelled" }, { code: "run_cancelled" }]);
  });

  test.each([
    ["a name that several functions have", "clamp", "Several functions have that name."],
    ["an unknown function", "src/domain/clamp.ts#constructor", "no such function"],
    ["a path outside", "../../etc/passwd#root", "no such function"],
  ])("%s is function_not_found", async (_what, function_name, message) => {
    expect(await (await scene()).refused("run_function_test", { function_name })).toMatchObject({
      code: "function_not_found",
      message: expect.stringContaining(message),
      details: { suggested_next_actions: [expect.stringContaining("PATH#NAME")] },
    });
  });

  test("says to commit where there is no code", async () => {
    expect(await (await scene({})).refused("run_function_test", { function_name: "f" })).toMatchObject({
      details: { suggested_next_actions: ["Commit the code first."] },
    });
  });

  test.each([["", "x".repeat(501)]])("refuses a name of no or too many characters", async (function_name) => {
    expect(await (await scene()).refused("run_function_test", { function_name })).toMatchObject({ code: "schema_validation_failed" });
  });
});

describe("run_property_test", () => {
  test("[CRI-161] runs the committed test of a claim", async () => {
    expect(await (await scene()).ok("run_property_test", { claim_id: "clamp_001" })).toMatchObject({
      claim: "clamp_001",
      files: [expect.stringMatching(/^tests\/.*clamp_001\.test\.ts$/)],
      status: "pass",
      passed: true,
    });
  });

  test("a claim without a committed test is untested, which is no pass", async () => {
    expect(await (await scene()).ok("run_property_test", { claim_id: "balance_001" })).toMatchObject({
      status: "untested",
      passed: false,
      files: [],
    });
  });

  test.each(["../clamp_001", "clamp_001; rm -rf /", "", "clamp"])("refuses %j, which is no id of a claim", async (claim_id) => {
    expect(await (await scene()).refused("run_property_test", { claim_id })).toMatchObject({ code: "schema_validation_failed" });
  });

  test.each([
    ["tests/property/balance_001.test.ts", true],
    ["tests/property/test_claim_balance_001.py", true],
    ["src/claim_balance_001_test.go", true],
    ["tests/claim_balance_001.rs", true],
    ["tests/property/Claimbalance_001Test.java", true],
    ["tests/property/claim_balance_001_test.cpp", true],
    ["tests/property/other_balance_001.test.ts", false],
    ["tests/property/balance_0012.test.ts", false],
    ["tests/balance_001", false],
  ])("%s is a test of balance_001: %s", (path, expected) => {
    expect(isTestOf("balance_001", path)).toBe(expected);
  });
});

describe("check_complexity", () => {
  test("[CRI-161] returns metrics of every function against the targets", async () => {
    expect(await (await scene()).ok("check_complexity", { file_path: "src/domain/clamp.ts" })).toMatchObject({
      passed: true,
      targets: { cyclomatic: 10, lines: 50, nesting: 4 },
      functions: [{ name: "clamp", line: 7, is_hole: false, cyclomatic: 3, within_targets: true }],
      security: [],
    });
  });

  test("a serious finding of the scanner is no pass", async () => {
    expect(await (await scene()).ok("check_complexity", { file_path: "./src//domain/hostile.ts" })).toMatchObject({
      file: "src/domain/hostile.ts",
      passed: false,
      security: [{ rule: expect.any(String), line: 3 }],
    });
  });

  test.each(["../outside.ts", "/etc/passwd", "src/../../x.ts", ".git/config", "src\\domain\\clamp.ts", "src/a\0.ts"])(
    "[CRI-161] refuses %j, which is no path in the repository",
    async (file_path) => {
      expect(await (await scene()).refused("check_complexity", { file_path })).toMatchObject({ code: "path_out_of_bounds" });
    },
  );

  test.each(["src/domain/none.ts", "package.json", "spec/spec.toml", "interview/transcript.jsonl"])(
    "%s is no committed source file",
    async (file_path) => {
      expect(await (await scene()).refused("check_complexity", { file_path })).toMatchObject({ code: "input_path_not_found" });
    },
  );

  test("a file that does not parse is source_syntax, with its line", async () => {
    const { refused } = await scene({ ...PROGRAM_FILES, "src/domain/torn.ts": "export function torn( {\n" });
    expect(await refused("check_complexity", { file_path: "src/domain/torn.ts" })).toMatchObject({ code: "source_syntax" });
  });
});

describe("a role at the toolchain server", () => {
  test.each(["architect", "structurer"])("[CRI-163] every call of the %s is refused and recorded", async (role) => {
    const { refused, recorded } = (await scene()).as({ role });
    for (const { name } of toolchainTools(OPEN_SESSION)) expect(await refused(name)).toMatchObject({ code: "forbidden_tool_for_role" });
    expect(await recorded("criticality.refuse_call")).toHaveLength(4);
  });

  test("[CRI-163] the auditor may run checks", async () => {
    expect(await (await scene()).as({ role: "auditor" }).ok("run_property_test", { claim_id: "clamp_001" })).toMatchObject({
      passed: true,
    });
  });

  test("[CRI-164] the worker tests its one function; another one is refused and recorded, whether it exists or not", async () => {
    const { ok, refused, recorded } = (await scene()).as({ role: "worker", function: CLAMP_ID });
    expect(await ok("run_function_test", { function_name: "clamp" })).toMatchObject({ function: CLAMP_ID, passed: true });
    for (const function_name of ["double", "src/domain/hostile.ts#clamp", "nowhere"])
      expect(await refused("run_function_test", { function_name })).toMatchObject({ code: "forbidden_tool_for_role" });
    expect(await refused("run_property_test", { claim_id: "clamp_001" })).toMatchObject({ code: "forbidden_tool_for_role" });
    expect(await refused("check_complexity", { file_path: "src/domain/double.ts" })).toMatchObject({ code: "forbidden_tool_for_role" });
    const events = await recorded("criticality.refuse_call");
    expect(events).toHaveLength(5);
    expect(events[0]).toMatchObject({ role: "worker", tool: "run_function_test", why: expect.stringContaining(CLAMP_ID) });
  });

  test("[CRI-164] the worker sees metrics and compiler problems of its own function's file only", async () => {
    const files = { ...PROGRAM_FILES, "src/domain/wrong.ts": 'export const size: number = "large";\n' };
    const { ok } = (await scene(files)).as({ role: "worker", function: "src/domain/hostile.ts#clamp" });
    expect(await ok("verify_structure")).toMatchObject({ passed: false, problems: [] });
    expect(await ok("check_complexity", { file_path: "src/domain/hostile.ts" })).toMatchObject({
      functions: [{ name: "clamp" }],
      security: [],
    });
  });

  test("[CRI-164] the guardian gets findings of the scanner and no metrics; any other call is refused and recorded", async () => {
    const { ok, refused, recorded } = (await scene()).as({ role: "guardian" });
    expect(await ok("check_complexity", { file_path: "src/domain/hostile.ts" })).toMatchObject({ functions: [], security: [{ line: 3 }] });
    for (const name of ["verify_structure", "run_function_test", "run_property_test"])
      expect(await refused(name)).toMatchObject({ code: "forbidden_tool_for_role" });
    expect(await recorded("criticality.refuse_call")).toHaveLength(3);
  });

  test.each([null, "clamp", "a#b#c"])("[CRI-164] a worker's server does not start for the function %j", (name) => {
    expect(() => toolchainTools({ ...OPEN_SESSION, role: "worker", function: name })).toThrow(
      expect.objectContaining({ code: "invalid_cli_args" }),
    );
  });
});

describe("the report of a test run", () => {
  const ran = { name: "a", result: "PASS", duration_ms: 1, error: null } as const;

  test("a run that ended before every test had a result is broken, and its own words are left out", () => {
    const report = testReport({ tests: [ran], skipped: [], broken: "exit code 7: RAW-OUTPUT" }, 2, "generated");
    expect(report).toMatchObject({ status: "broken", passed: false, counts: { declared: 2, passed: 1 } });
    expect(JSON.stringify(report)).not.toContain("RAW-OUTPUT");
  });

  test.each([
    ["too few tests", { tests: [ran], skipped: [], broken: null }, 2, "generated"],
    ["no tests", { tests: [], skipped: [], broken: null }, 0, "generated"],
    ["generated tests that all skip themselves", { tests: [], skipped: ["b"], broken: null }, 1, "generated"],
    ["a committed test that is skipped", { tests: [ran], skipped: ["b"], broken: null }, 1, "committed"],
  ] as const)("%s is no pass", (_what, run, declared, origin) => {
    expect(testReport(run, declared, origin)).toMatchObject({ status: "broken", passed: false });
  });

  test("a generated test may skip itself beside one that passes", () => {
    expect(testReport({ tests: [ran], skipped: ["b"], broken: null }, 2, "generated")).toMatchObject({
      status: "pass",
      counts: { declared: 2, passed: 1, skipped: 1 },
    });
  });

  test("a long message is cut, and a failure without one says so", () => {
    const long = { ...ran, result: "FAIL", error: { name: "Error", message: "x".repeat(9_000), by: "code" } } as const;
    const report = testReport({ tests: [long, { ...ran, result: "FAIL" }], skipped: [], broken: null }, 2, "generated");
    expect(report.failures[0]?.error.length).toBeLessThan(600);
    expect(report.failures[1]).toEqual({ test: "a", error: "failed", by: null });
  });
});
