import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "..", "..");
const PACKAGES = join(ROOT, "packages");

function sources(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(?:ts|mjs|json)$/.test(entry.name) && !/node_modules|dist|coverage/.test(entry.parentPath))
    .map((entry) => join(entry.parentPath, entry.name));
}

test("[FEA-148] a package with low coverage fails its test task, after writing lcov", () => {
  const scratch = mkdtempSync(join(tmpdir(), "slipway-coverage-"));
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(ROOT, "node_modules", "vitest", "vitest.mjs"), "run", "--root", join(import.meta.dirname, "fixture")],
    {
      encoding: "utf8",
      env: { PATH: process.env["PATH"], HOME: scratch, SLIPWAY_TEST_REPORTS: scratch, FIXTURE_COVERAGE: join(scratch, "coverage") },
    },
  );
  expect(`${stdout}${stderr}`).toContain("does not meet global threshold (90%)");
  expect(status).not.toBe(0);
  expect(readFileSync(join(scratch, "coverage", "lcov.info"), "utf8")).toContain("BRH:");
});

test("[FEA-148] every package is tested by Vitest through an Nx task under one configuration, and npm test runs them all", async () => {
  for (const name of readdirSync(PACKAGES)) {
    const { scripts } = JSON.parse(readFileSync(join(PACKAGES, name, "package.json"), "utf8")) as { scripts: Record<string, string> };
    expect([name, scripts["test"]]).toEqual([name, "vitest run --coverage"]);
    expect(readFileSync(join(PACKAGES, name, "vitest.config.ts"), "utf8")).toContain(`packageConfig("${name}"`);
  }
  expect(existsSync(join(ROOT, "nx.json"))).toBe(true);
  expect(readFileSync(join(ROOT, "scripts", "test.mjs"), "utf8")).toContain('bin("nx"), ["run-many", "-t", "test"');
});

test("[FEA-148] attainment of the targets is reported", async () => {
  const { coverageLines } = (await import("../../scripts/coverage.mjs" as string)) as { coverageLines: (folder: string) => string[] };
  const scratch = mkdtempSync(join(tmpdir(), "slipway-attained-"));
  for (const [name, counts] of Object.entries({ all: "LF:4\nLH:4\nBRF:2\nBRH:2\n", part: "LF:4\nLH:3\nBRF:2\nBRH:1\n" })) {
    mkdirSync(join(scratch, name, "coverage"), { recursive: true });
    writeFileSync(join(scratch, name, "coverage", "lcov.info"), counts);
  }
  expect(coverageLines(scratch)).toEqual([
    "coverage all: lines 100.0 %, branches 100.0 % (target 100 %: reached)",
    "coverage part: lines 75.0 %, branches 50.0 % (target 100 %: not reached)",
  ]);
});

test("[FEA-151] no running code uses a progress file", () => {
  const naming = sources(PACKAGES)
    .filter((file) => !file.endsWith(".test.ts"))
    .filter((file) => /progress\.md|spec-files/.test(readFileSync(file, "utf8")));
  expect(naming).toEqual([]);
});
