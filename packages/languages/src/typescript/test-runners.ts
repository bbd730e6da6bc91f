import type { SourceTree } from "../adapter.ts";

/** How a test is written for one runner. `$context` is the parameter of the test. */
export interface TestRunner {
  readonly imports: (names: { readonly clock: boolean; readonly expect: boolean }) => string;
  /** A statement that marks the test as skipped and leaves it. */
  readonly skip: (reason: string) => string;
  readonly clock: {
    readonly replace: (now: string) => string;
    readonly advance: (milliseconds: string) => string;
    readonly restore: string;
  };
  /** A statement that fails unless the call throws. */
  readonly throws: (call: string) => string;
}

const imported = (from: string, clock: string) => (names: { readonly clock: boolean; readonly expect: boolean }) =>
  `import { ${[...(names.expect ? ["expect"] : []), "test", ...(names.clock ? [clock] : [])].join(", ")} } from "${from}";`;

const clockOf = (name: string) => ({
  replace: (now: string) => `${name}.useFakeTimers({ now: ${now} });`,
  advance: (milliseconds: string) => `${name}.advanceTimersByTime(${milliseconds});`,
  restore: `${name}.useRealTimers();`,
});

const expectThrow = (call: string) => `await expect((async () => ${call})()).rejects.toThrow();`;

export const TEST_RUNNERS = {
  node: {
    imports: ({ clock }) => `import { ${clock ? "mock, " : ""}test } from "node:test";`,
    skip: (reason) => `return $context.skip(${reason});`,
    clock: {
      replace: (now) => `mock.timers.enable({ apis: ["Date", "setTimeout", "setInterval"], now: ${now} });`,
      advance: (milliseconds) => `mock.timers.tick(${milliseconds});`,
      restore: "mock.timers.reset();",
    },
    throws: (call) => `await assert.rejects(async () => ${call});`,
  },
  vitest: {
    imports: imported("vitest", "vi"),
    skip: (reason) => `return $context.skip(${reason});`,
    clock: clockOf("vi"),
    throws: expectThrow,
  },
  // Jest cannot skip a test that has begun, so it fails.
  jest: {
    imports: imported("@jest/globals", "jest"),
    skip: (reason) => `throw new Error(${reason});`,
    clock: clockOf("jest"),
    throws: expectThrow,
  },
} as const satisfies Record<string, TestRunner>;

export type TestRunnerName = keyof typeof TEST_RUNNERS;

/** The runner of the project, by its package.json; vitest by default. */
export function runnerOf(tree: SourceTree): TestRunnerName {
  const manifest = tree["package.json"] ?? "";
  if (/"vitest"\s*:|\bvitest\b/.test(manifest)) return "vitest";
  if (/"jest"\s*:|"@jest\/globals"\s*:/.test(manifest)) return "jest";
  return /node\s+(?:\S+\s+)*--test\b/.test(manifest) ? "node" : "vitest";
}
