import { join } from "node:path";
import { defineConfig } from "vitest/config";

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
      reporters: ["default", ["json", { outputFile: join(import.meta.dirname, "reports", "tests", `${project}.json`) }]],
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
