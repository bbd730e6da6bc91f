import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Reporter } from "vitest/node";
import { defineConfig } from "vitest/config";

/** Elsewhere when a test runs Vitest itself. */
const REPORTS = process.env["SLIPWAY_TEST_REPORTS"] ?? join(import.meta.dirname, "reports", "tests");

/** Says of every test that was skipped why; `npm test` repeats it at its end. */
function skipNotes(project: string): Reporter {
  const notes: { title: string; reason: string }[] = [];
  return {
    onTestCaseResult(test) {
      const result = test.result();
      if (result.state === "skipped") notes.push({ title: test.fullName, reason: result.note ?? "see the reason printed by its file" });
    },
    onTestRunEnd() {
      mkdirSync(REPORTS, { recursive: true });
      writeFileSync(join(REPORTS, `${project}.skips`), JSON.stringify(notes));
    },
  };
}

/** One configuration for every package: sources straight from TypeScript, coverage minima that block. */
export function packageConfig(project: string, coverage = true) {
  return defineConfig({
    resolve: { conditions: ["slipway-source"] },
    ssr: { resolve: { conditions: ["slipway-source"] } },
    test: {
      name: project,
      include: ["**/*.test.ts"],
      exclude: ["**/node_modules/**", "**/dist/**", "demo/**"],
      testTimeout: 30_000,
      hookTimeout: 30_000,
      maxWorkers: 2,
      reporters: ["default", ["json", { outputFile: join(REPORTS, `${project}.json`) }], skipNotes(project)],
      coverage: {
        enabled: coverage,
        provider: "v8",
        include: ["src/**/*.ts"],
        exclude: ["src/**/*.test.ts", "src/**/testing/**", "src/**/*.bench.ts"],
        reporter: ["text-summary", "lcov"],
        thresholds: { lines: 90, branches: 90 },
      },
    },
  });
}
