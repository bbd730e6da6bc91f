import type { SourceTree } from "@slipway/languages/adapter";

export const BENCHMARK_LEVELS = ["micro", "module", "integration"] as const;
export type BenchmarkLevel = (typeof BENCHMARK_LEVELS)[number];

/** A skeleton with holes, and tests that no model sees. The paths and names of two cases never meet. */
export interface BenchmarkCase {
  /** `LEVEL/NAME`. */
  readonly id: string;
  readonly level: BenchmarkLevel;
  readonly title: string;
  readonly files: SourceTree;
  /** Functions that need others, by `PATH#NAME`. */
  readonly calls: Readonly<Record<string, readonly string[]>>;
  /** The text of a test file. It stands in `tests/hidden/`. */
  readonly hidden: string;
}

/** A case of one function in one file. */
export function micro(name: string, title: string, text: string, hidden: string): BenchmarkCase {
  return { id: `micro/${name}`, level: "micro", title, files: { [`src/domain/${name}.ts`]: text }, calls: {}, hidden };
}
