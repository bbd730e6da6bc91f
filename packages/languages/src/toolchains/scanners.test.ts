import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Sandbox } from "@slipway/kernel/host/sandbox/contract";
import { scratchFolder } from "@slipway/kernel/host/sandbox/testing/scratch";
import { beforeAll, describe, expect, test } from "vitest";
import { projectFolder, testMachine } from "../testing/adapter-suite.ts";
import { testSandbox } from "../testing/tools-here.ts";
import { programsOf } from "./machine.ts";
import { runScanners } from "./run-scanners.ts";
import { SCANNERS } from "./scanners.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await testSandbox();
});

const read = (language: "rust" | "typescript" | "python" | "go", tool: string, output: unknown) =>
  SCANNERS[language]?.find((one) => one.tool === tool)?.read(typeof output === "string" ? output : JSON.stringify(output));

describe("[CRI-125] the security scanners of a language", () => {
  test("are the ones of the table", () => {
    const names = Object.fromEntries(Object.entries(SCANNERS).map(([language, all]) => [language, all.map(({ tool }) => tool)]));
    expect(names).toEqual({
      rust: ["cargo-audit", "clippy"],
      typescript: ["npm audit", "eslint-plugin-security"],
      python: ["bandit", "safety"],
      go: ["gosec", "govulncheck"],
    });
  });

  test("that are not installed are named, with how to install them", async () => {
    const report = await runScanners({ env: { PATH: "", HOME: "/nonexistent" }, system: [] }, "go", "/nonexistent", { sandbox });
    expect(report).toEqual({
      findings: [],
      ran: [],
      failed: [],
      missing: [
        { tool: "gosec", neededFor: "the full security scan", install: expect.stringContaining("gosec") as string },
        { tool: "govulncheck", neededFor: "the full security scan", install: expect.stringContaining("govulncheck") as string },
      ],
    });
    expect(await runScanners({ env: {} }, "java", "/nonexistent", { sandbox })).toEqual({ findings: [], ran: [], missing: [], failed: [] });
  });

  test("report findings with rule, severity, file and line", () => {
    expect(
      read("rust", "cargo-audit", { vulnerabilities: { list: [{ advisory: { id: "RUSTSEC-1", title: "t" }, package: { name: "p" } }] } }),
    ).toEqual([{ tool: "cargo-audit", rule: "RUSTSEC-1", severity: "high", file: null, line: 1, message: "p: t" }]);
    const lint = (code: string) =>
      JSON.stringify({
        reason: "compiler-message",
        message: {
          level: "warning",
          message: "m",
          code: { code },
          spans: [{ file_name: "src/a.rs", line_start: 3, column_start: 1, is_primary: true }],
        },
      });
    expect(read("rust", "clippy", `${lint("clippy::exit")}\n${lint("clippy::needless_return")}\n${lint("unused")}`)).toEqual([
      { tool: "clippy", rule: "clippy::exit", severity: "medium", file: "src/a.rs", line: 3, message: "m" },
    ]);
    expect(
      read("typescript", "npm audit", { vulnerabilities: { p: { name: "p", severity: "critical" }, q: { name: "q", severity: "info" } } }),
    ).toMatchObject([{ severity: "critical" }, { severity: "medium" }]);
    expect(
      read("typescript", "eslint-plugin-security", [
        {
          filePath: "a.ts",
          messages: [
            { ruleId: "security/detect-eval", line: 2, message: "m" },
            { ruleId: "semi", message: "" },
            { ruleId: null, message: "" },
          ],
        },
      ]),
    ).toEqual([{ tool: "eslint-plugin-security", rule: "security/detect-eval", severity: "medium", file: "a.ts", line: 2, message: "m" }]);
    expect(
      read("python", "bandit", {
        results: [{ filename: "./a.py", line_number: 4, test_id: "B307", issue_severity: "HIGH", issue_text: "eval" }],
      }),
    ).toEqual([{ tool: "bandit", rule: "B307", severity: "high", file: "a.py", line: 4, message: "eval" }]);
    expect(read("python", "safety", { vulnerabilities: [{ vulnerability_id: "1", package_name: "p" }] })).toMatchObject([
      { rule: "1", severity: "high" },
    ]);
    expect(
      read("go", "gosec", { Issues: [{ file: "a.go", line: "7-9", rule_id: "G204", severity: "MEDIUM", details: "d" }] }),
    ).toMatchObject([{ rule: "G204", line: 7, severity: "medium" }]);
    expect(read("go", "gosec", "")).toEqual([]);
    expect(read("go", "gosec", { Issues: null })).toEqual([]);
    expect(read("go", "govulncheck", "Vulnerability #1: GO-2024-1\n    Bad thing\n")).toMatchObject([
      { rule: "GO-2024-1", message: "Bad thing" },
    ]);
  });

  test("whose output is no report have no answer", () => {
    for (const [language, tool] of [
      ["rust", "cargo-audit"],
      ["python", "bandit"],
      ["python", "safety"],
      ["typescript", "eslint-plugin-security"],
      ["typescript", "npm audit"],
      ["go", "gosec"],
    ] as const)
      expect(read(language, tool, "no JSON")).toBeNull();
    expect(read("typescript", "npm audit", { error: { code: "ENOTFOUND" } })).toBeNull();
  });

  test("that fail, or need the network, are reported as such", async () => {
    const folder = scratchFolder();
    mkdirSync(join(folder, "bin"));
    for (const name of ["gosec", "govulncheck"])
      writeFileSync(join(folder, "bin", name), "#!/bin/sh\necho broken >&2\nexit 7\n", { mode: 0o755 });
    const machine = { env: { PATH: join(folder, "bin"), HOME: folder }, system: [] };
    const { missing, failed } = await runScanners(machine, "go", projectFolder({ "a.go": "package a\n" }), { sandbox });
    expect(missing).toEqual([]);
    expect(failed.map(({ tool }) => tool)).toEqual(["gosec", "govulncheck"]);
    expect(failed[0]?.reason).toMatch(/which the sandbox does not show|ended with 7: broken/);
    expect(failed[1]?.reason).toContain("network");
  });

  test("run in the sandbox, on a copy: bandit", { timeout: 120_000 }, async (context) => {
    context.skip((await programsOf(testMachine())).find("bandit") === null, "bandit is not installed (Debian: apt-get install bandit)");
    const { findings, failed } = await runScanners(
      testMachine(),
      "python",
      projectFolder({ "src/a.py": "def f(x):\n    return eval(x)\n" }),
      { sandbox },
    );
    expect(failed.filter(({ tool }) => tool === "bandit")).toEqual([]);
    expect(findings).toMatchObject([{ tool: "bandit", rule: "B307", file: "src/a.py", line: 2 }]);
  });

  test("run in the sandbox, on a copy: clippy", { timeout: 120_000 }, async (context) => {
    context.skip((await programsOf(testMachine())).find("cargo-clippy") === null, "clippy is not installed (rustup component add clippy)");
    const { findings, ran, failed } = await runScanners(
      testMachine(),
      "rust",
      projectFolder({ "src/a.rs": "pub fn f() {\n    std::process::exit(0);\n}\n" }),
      { sandbox },
    );
    expect(failed.filter(({ tool }) => tool === "clippy")).toEqual([]);
    expect(ran).toContain("clippy");
    expect(findings).toMatchObject([{ tool: "clippy", rule: "clippy::exit", file: "src/a.rs", line: 2 }]);
  });
});
