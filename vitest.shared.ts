import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { BaseSequencer, type Reporter, type TestSpecification } from "vitest/node";
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

/** The named files first, in that order: a long one at the end would run alone. */
function longestFirst(names: readonly string[]) {
  const rank = ({ moduleId }: TestSpecification) => {
    const found = names.findIndex((name) => moduleId.includes(name));
    return found < 0 ? names.length : found;
  };
  return class extends BaseSequencer {
    override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
      const usual = await BaseSequencer.prototype.sort.call(this, files);
      return usual.toSorted((a, b) => rank(a) - rank(b));
    }
  };
}

export interface PackageOptions {
  readonly coverage?: boolean;
  /** Test files that need a worker, and modules, of their own. The others share them: loading costs more than many a test. */
  readonly isolated?: readonly string[];
  readonly longest?: readonly string[];
  /** Sources that run only in processes of their own, where the tests reach them and the coverage does not. */
  readonly elsewhere?: readonly string[];
  /** Sources of other packages that these tests are the tests of. */
  readonly also?: readonly string[];
}

const FILES = { include: ["**/*.test.ts"], exclude: ["**/node_modules/**", "**/dist/**", "demos/**"] };

/** One configuration for every package: sources straight from TypeScript, coverage minima that block. */
export function packageConfig(
  project: string,
  { coverage = true, isolated = [], longest = [], elsewhere = [], also = [] }: PackageOptions = {},
) {
  const shared = { ...FILES, name: project, isolate: false, exclude: [...FILES.exclude, ...isolated] };
  const apart = { ...FILES, name: `${project}, isolated`, isolate: true, include: [...isolated] };
  return defineConfig({
    resolve: { conditions: ["slipway-source"] },
    ssr: { resolve: { conditions: ["slipway-source"] } },
    test: {
      ...(isolated.length === 0 ? shared : { projects: [shared, apart].map((test) => ({ extends: true as const, test })) }),
      globalSetup: join(import.meta.dirname, "vitest.folder.ts"),
      sequence: { sequencer: longestFirst(longest) },
      // More files run at once than there are cores.
      testTimeout: 60_000,
      hookTimeout: 60_000,
      expect: { poll: { timeout: 20_000 } },
      maxWorkers: 2,
      reporters: ["default", ["json", { outputFile: join(REPORTS, `${project}.json`) }], skipNotes(project)],
      coverage: {
        enabled: coverage,
        provider: "v8",
        include: ["src/**/*.ts", ...also],
        allowExternal: also.length > 0,
        exclude: ["src/**/*.test.ts", "src/**/testing/**", "src/**/*.bench.ts", ...elsewhere],
        reporter: ["text-summary", "lcov"],
        thresholds: { lines: 90, branches: 90 },
      },
    },
  });
}
