import { expect, test } from "vitest";
import { benchCodeIndex } from "./bench.ts";

test("searches in a small and a large index miss nothing, and appends are compared", async () => {
  const rows = await benchCodeIndex({ small: 30, large: 300, queries: 10, appends: 3, dimensions: 256 });
  expect(rows).toHaveLength(4);
  expect(rows.slice(0, 3).map(({ value }) => /recall@10 [\d.]+/.exec(value)?.[0])).toEqual(Array(3).fill("recall@10 1.000"));
  expect(rows.map(({ ratio }) => Number.isFinite(ratio))).toEqual(Array(4).fill(true));
  expect(rows[3]?.ratio).toBeGreaterThan(0);
});
