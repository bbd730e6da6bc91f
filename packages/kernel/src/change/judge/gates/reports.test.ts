import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ProcessOutcome, Sandbox } from "../../../host/sandbox/contract.ts";
import { scratchFolder } from "../../../host/sandbox/testing/scratch.ts";
import { LARGEST_REPORT_BYTES } from "./reports.ts";
import type { GateResult } from "./run.ts";
import type { GatesConfig } from "../../../config/gates.ts";
import { gatesWith, runCase, shellStep, type GateCase } from "./testing/gate.ts";

const passed: ProcessOutcome = { exitCode: 0, signal: null, timedOut: false, aborted: false, limit: null, durationMs: 1 };

/** A fake step that writes these files and ends with this result, because judging reports needs no process. */
function writing(files: Record<string, string>, outcome: Partial<ProcessOutcome> = {}): Sandbox {
  return {
    kind: "none",
    run: async ({ worktree }) => {
      for (const [name, text] of Object.entries(files)) {
        mkdirSync(dirname(join(worktree, name)), { recursive: true });
        writeFileSync(join(worktree, name), text);
      }
      return { ...passed, ...outcome };
    },
  };
}

function gate(files: Record<string, string>, more: Partial<GatesConfig>, given: Partial<GateCase> = {}): Promise<GateResult> {
  return runCase({ sandbox: writing(files), config: gatesWith([shellStep("test", "true")], more), ...given });
}

const lcov = (covered: number, total: number, branches = "") =>
  `SF:a\n${Array.from({ length: total }, (_, line) => `DA:${line + 1},${line < covered ? 1 : 0}`).join("\n")}\n${branches}end_of_record\n`;
const junit = (cases: string) => `<testsuites><testsuite>${cases}</testsuite></testsuites>`;
const coverage = { coverage: { type: "lcov" as const, path: "coverage/lcov.info" } };
const tests = { tests: { type: "junit_xml" as const, path: "reports/junit.xml" } };

describe("tests", () => {
  it("are counted by the harness", async () => {
    const result = await gate({ "reports/junit.xml": junit("<testcase/><testcase><skipped/></testcase>") }, { parsers: tests });
    expect(result).toMatchObject({ passed: true, tests: { total: 2, passed: 1, failed: 0, skipped: 1 } });
  });

  it("[FEA-141] a failed test fails the gate even if every step exits with 0, also through parsers.coverage", async () => {
    const report = junit("<testcase/><testcase><failure/></testcase>");
    for (const parsers of [tests, { coverage: { type: "junit_xml" as const, path: "reports/junit.xml" } }]) {
      const result = await gate({ "reports/junit.xml": report }, { parsers });
      expect(result).toMatchObject({ passed: false, failure: { code: "gate_failed" }, tests: { total: 2, failed: 1 } });
    }
    expect(
      await gate({ "reports/junit.xml": report }, { parsers: { coverage: { type: "none", path: "reports/junit.xml" } } }),
    ).toMatchObject({ passed: true, tests: null });
  });

  it.each([
    ["no report", {}],
    ["a report without tests", { "reports/junit.xml": junit("") }],
    ["only skipped tests", { "reports/junit.xml": junit("<testcase><skipped/></testcase>") }],
  ])("zero tests are a failure: %s", async (_, files) => {
    expect(await gate(files, { parsers: tests })).toMatchObject({ passed: false, failure: { code: "no_tests_ran" } });
  });

  it("an unreadable report is a failure, not a crash", async () => {
    expect(await gate({ "reports/junit.xml": "<testsuites><oops" }, { parsers: tests })).toMatchObject({
      passed: false,
      failure: { code: "gate_failed", message: expect.stringContaining("reports/junit.xml") },
    });
  });

  it("one report per suite: a * in the file name matches them all", async () => {
    const parsers = { tests: { type: "junit_xml" as const, path: "reports/TEST-*.xml" } };
    const files = {
      "reports/TEST-a.xml": junit("<testcase/>"),
      "reports/TEST-b.xml": junit("<testcase/><testcase/>"),
      "reports/other.xml": "no report",
    };
    expect(await gate(files, { parsers })).toMatchObject({ passed: true, tests: { total: 3 } });
    expect(await gate({}, { parsers })).toMatchObject({ failure: { code: "no_tests_ran" } });
    await expect(gate({}, { parsers: { tests: { type: "junit_xml", path: "**/junit.xml" } } })).rejects.toMatchObject({
      code: "config_invalid",
    });
  });

  it("after a failed step the counts are informational and the step's failure is the result", async () => {
    const sandbox = writing({ "reports/junit.xml": junit("<testcase/><testcase><failure/></testcase>") }, { exitCode: 1 });
    const result = await gate({}, { parsers: { ...tests, ...coverage } }, { sandbox });
    expect(result).toMatchObject({
      passed: false,
      failure: { code: "gate_failed", details: { exit_code: 1 } },
      tests: { failed: 1 },
      coverage: null,
    });
    expect(await gate({}, { parsers: tests }, { sandbox: writing({}, { exitCode: 1 }) })).toMatchObject({
      failure: { details: { exit_code: 1 } },
    });
  });
});

function swap(folder: string, target: string): void {
  rmSync(folder, { recursive: true });
  symlinkSync(target, folder);
}

const plant = (make: (path: string) => void): Sandbox => ({
  kind: "none",
  run: async ({ worktree }) => {
    mkdirSync(join(worktree, "reports"), { recursive: true });
    make(join(worktree, "reports", "junit.xml"));
    return passed;
  },
});

describe("attack 33: a forged report never counts", () => {
  it("attack 33: a report from before the run is removed and does not count; the caller resets the tree", async () => {
    const worktree = scratchFolder();
    mkdirSync(join(worktree, "reports"));
    const forged = junit("<testcase/>".repeat(500));
    writeFileSync(join(worktree, "reports", "junit.xml"), forged, { mode: 0o640 });
    let broughtBack = 0;
    const result = await gate({}, { parsers: tests }, { worktree, resetTree: async () => void broughtBack++ });
    expect(result).toMatchObject({ passed: false, failure: { code: "no_tests_ran" }, tests: { total: 0 }, isolation: "reset" });
    expect(existsSync(join(worktree, "reports", "junit.xml"))).toBe(false);
    expect(broughtBack).toBe(1);
  });

  it("attack 33: reports that match the pattern but were not written in this run do not count", async () => {
    const worktree = scratchFolder();
    mkdirSync(join(worktree, "reports"));
    writeFileSync(join(worktree, "reports", "TEST-old.xml"), junit("<testcase/>".repeat(500)));
    const parsers = { tests: { type: "junit_xml" as const, path: "reports/TEST-*.xml" } };
    const result = await gate({ "reports/TEST-new.xml": junit("<testcase/>") }, { parsers }, { worktree });
    expect(result).toMatchObject({ passed: true, tests: { total: 1 } });
    expect(readdirSync(join(worktree, "reports"))).toEqual(["TEST-new.xml"]);
  });

  it("attack 33: totals in attributes are ignored", async () => {
    expect(await gate({ "reports/junit.xml": '<testsuites tests="500" failures="0"/>' }, { parsers: tests })).toMatchObject({
      failure: { code: "no_tests_ran" },
    });
  });

  it("attack 33: a perfect report does not outweigh an exit code", async () => {
    const files = { "reports/junit.xml": junit("<testcase/>"), "coverage/lcov.info": lcov(5, 5) };
    const result = await gate({}, { parsers: { ...tests, ...coverage } }, { sandbox: writing(files, { exitCode: 1 }) });
    expect(result).toMatchObject({ passed: false, failure: { code: "gate_failed" } });
  });

  it("attack 33: a link, a pipe or a folder in place of a report is not followed, read or waited for", async () => {
    const elsewhere = join(scratchFolder(), "good.xml");
    writeFileSync(elsewhere, junit("<testcase/>"));
    const linked = await gate({}, { parsers: tests }, { sandbox: plant((path) => symlinkSync(elsewhere, path)) });
    expect(linked).toMatchObject({ passed: false, failure: { code: "path_out_of_bounds" }, tests: null });
    const piped = await gate({}, { parsers: tests }, { sandbox: plant((path) => void execFileSync("mkfifo", [path])) });
    expect(piped).toMatchObject({ passed: false, failure: { code: "gate_failed", message: expect.stringContaining("regular file") } });
    const folder = await gate({}, { parsers: tests }, { sandbox: plant((path) => mkdirSync(path)) });
    expect(folder).toMatchObject({ failure: { code: "no_tests_ran" } });
    const servers: Server[] = [];
    const socket = await gate({}, { parsers: tests }, { sandbox: plant((path) => void servers.push(createServer().listen(path))) });
    servers.forEach((server) => server.close());
    expect(socket).toMatchObject({ failure: { code: "gate_failed", message: expect.stringContaining("cannot be read") } });
    const huge = await gate(
      {},
      { parsers: tests },
      { sandbox: plant((path) => (writeFileSync(path, ""), truncateSync(path, LARGEST_REPORT_BYTES + 1))) },
    );
    expect(huge).toMatchObject({ failure: { code: "gate_failed", message: expect.stringContaining("the maximum is") } });
  });

  it("attack 33: a parent folder that becomes a link is noticed", async () => {
    const elsewhere = scratchFolder();
    writeFileSync(join(elsewhere, "junit.xml"), junit("<testcase/>"));
    const sandbox: Sandbox = { kind: "none", run: async ({ worktree }) => (swap(join(worktree, "reports"), elsewhere), passed) };
    expect(await gate({}, { parsers: tests }, { sandbox })).toMatchObject({ passed: false, failure: { code: "path_out_of_bounds" } });
  });

  it("a report path outside the worktree starts no process; a link in its place is removed", async () => {
    for (const path of ["../report.xml", "/tmp/report.xml"]) {
      await expect(gate({}, { parsers: { tests: { type: "junit_xml", path } } })).rejects.toMatchObject({ code: "path_out_of_bounds" });
    }
    const worktree = scratchFolder();
    const precious = join(scratchFolder(), "precious");
    writeFileSync(precious, "keep");
    mkdirSync(join(worktree, "reports"));
    symlinkSync(precious, join(worktree, "reports", "junit.xml"));
    expect(await gate({ "reports/junit.xml": junit("<testcase/>") }, { parsers: tests }, { worktree })).toMatchObject({ passed: true });
    expect(readFileSync(precious, "utf8")).toBe("keep");
  });

  it("the report of an earlier step counts, even if a later step changes its file", async () => {
    const steps: ((path: string) => void)[] = [
      (path) => writeFileSync(path, junit("<testcase><failure/></testcase>")),
      (path) => rmSync(path, { force: true }),
    ];
    const sandbox: Sandbox = {
      kind: "none",
      run: async ({ worktree }) => (steps.shift()?.(join(worktree, "reports/junit.xml")), passed),
    };
    const config = gatesWith([shellStep("test", "true"), shellStep("tidy", "true")], { parsers: tests });
    expect(await runCase({ sandbox, config })).toMatchObject({ passed: false, tests: { failed: 1 } });
  });

  it("an excessive number of reports is refused", async () => {
    const worktree = scratchFolder();
    mkdirSync(join(worktree, "reports"));
    for (let index = 0; index <= 5_000; index++) writeFileSync(join(worktree, "reports", `${index}.xml`), "");
    await expect(gate({}, { parsers: { tests: { type: "junit_xml", path: "reports/*.xml" } } }, { worktree })).rejects.toMatchObject({
      code: "config_invalid",
    });
  });
});

describe("coverage", () => {
  const minimums = { thresholds: { coverage_line_min: 0.9, coverage_branch_min: 0.5 } };

  it("[FEA-143] a missed minimum fails with measured and required values, and so does a missing report or metric", async () => {
    const branch = "BRDA:1,0,0,1\nBRDA:1,0,1,0\n";
    const good = await gate({ "coverage/lcov.info": lcov(9, 10, branch) }, { parsers: coverage, ...minimums });
    expect(good).toMatchObject({ passed: true, coverage: { line: 0.9, branch: 0.5, verdicts: { line: "pass", branch: "pass" } } });

    const low = await gate({ "coverage/lcov.info": lcov(89, 100, branch) }, { parsers: coverage, ...minimums });
    expect(low).toMatchObject({
      passed: false,
      coverage: { verdicts: { line: "fail", branch: "pass" } },
      failure: { code: "coverage_below_minimum", details: { measured: { line: 0.89, branch: 0.5 }, required: { line: 0.9, branch: 0.5 } } },
    });
    expect(low.failure?.message).toContain("line coverage is 89.00 %, 90.00 % is required");

    const noBranches = await gate({ "coverage/lcov.info": lcov(10, 10) }, { parsers: coverage, ...minimums });
    expect(noBranches).toMatchObject({
      failure: { code: "coverage_below_minimum" },
      coverage: { branch: null, verdicts: { line: "pass", branch: "fail" } },
    });

    const missing = await gate({}, { parsers: coverage, ...minimums });
    expect(missing).toMatchObject({
      failure: { code: "coverage_below_minimum", details: { measured: { line: null } } },
      coverage: { verdicts: { line: "fail", branch: "fail" } },
    });

    const noParser = await gate({}, {}, { policy: { minimums: { line: 0.9 } } });
    expect(noParser).toMatchObject({ failure: { code: "coverage_below_minimum" }, coverage: { verdicts: { line: "fail", branch: "na" } } });

    const withoutMinimum = await gate({}, { parsers: coverage });
    expect(withoutMinimum).toMatchObject({ failure: { code: "coverage_below_minimum" }, coverage: { verdicts: { line: "fail" } } });

    const thresholds = { coverage_line_target: 1, coverage_branch_target: 0.4 };
    const targets = await gate({ "coverage/lcov.info": lcov(95, 100, branch) }, { parsers: coverage, thresholds });
    expect(targets).toMatchObject({
      passed: true,
      coverage: {
        verdicts: { line: "na", branch: "na" },
        targets: { line: { attained: 0.95, target: 1, reached: false }, branch: { attained: 0.5, target: 0.4, reached: true } },
      },
    });
  });

  it("a value is never rounded up to its minimum", async () => {
    const result = await gate(
      { "coverage/lcov.info": lcov(89_999, 100_000) },
      { parsers: coverage, thresholds: { coverage_line_min: 0.9 } },
    );
    expect(result.failure?.message).toContain("89.99 %");
  });

  it("an unreadable report is a failure, not a crash", async () => {
    const result = await gate({ "coverage/lcov.info": "no lcov" }, { parsers: coverage, thresholds: { coverage_line_min: 0.5 } });
    expect(result).toMatchObject({
      passed: false,
      failure: { code: "coverage_below_minimum", message: expect.stringContaining("coverage/lcov.info") },
    });
  });

  it("a link in place of the report is out of bounds", async () => {
    const sandbox: Sandbox = {
      kind: "none",
      run: async ({ worktree }) => (symlinkSync("/etc/hostname", join(worktree, "lcov.info")), passed),
    };
    expect(await gate({}, { parsers: { coverage: { type: "lcov", path: "lcov.info" } } }, { sandbox })).toMatchObject({
      failure: { code: "path_out_of_bounds" },
    });
  });

  it("several reports are summed", async () => {
    const parsers = { coverage: { type: "lcov" as const, path: "cov/*.info" } };
    const result = await gate({ "cov/a.info": lcov(1, 2), "cov/b.info": lcov(2, 2) }, { parsers });
    expect(result.coverage).toMatchObject({ line: 0.75, lines: { covered: 3, total: 4 }, branch: null });
  });

  it("a parser for another mode is not used", async () => {
    const parsers = { coverage: { type: "lcov" as const, path: "l", modes: ["full" as const] } };
    expect(await gate({}, { parsers }, { mode: "fast" })).toMatchObject({ passed: true, coverage: null });
  });

  it("[FEA-142] custom is unsupported unless the policy allows skipping it", async () => {
    const started: string[] = [];
    const sandbox: Sandbox = { kind: "none", run: async ({ command }) => (started.push(command.join(" ")), passed) };
    const parsers = { coverage: { type: "custom" as const } };
    const refused = await gate({}, { parsers }, { sandbox });
    expect(refused).toMatchObject({ passed: false, failure: { code: "unsupported_parser" }, steps: [{ status: "skipped" }] });
    expect(started).toEqual([]);
    expect(await gate({}, { parsers }, { sandbox, policy: { allowUnsupportedParser: true } })).toMatchObject({
      passed: true,
      coverage: null,
    });
    expect(started).toHaveLength(1);
    const { parseYamlConfig } = await import("../../../config/yaml.ts");
    const { gatesSchema } = await import("../../../config/gates.ts");
    const text =
      "version: 1\nprofiles: { d: { modes: { fast: [{ name: a, cmd: [a] }], full: [{ name: a, cmd: [a] }] } } }\nparsers: { coverage: { type: made_up, path: r } }";
    expect(() => parseYamlConfig("slipway/gates.yaml", text, gatesSchema)).toThrow(expect.objectContaining({ code: "unsupported_parser" }));
  });
});
