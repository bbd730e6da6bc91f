import { expect, test, vi } from "vitest";

test("the benchmarks return all their figures", async () => {
  vi.stubEnv("SLIPWAY_BENCH_STEPS", "300");
  const { benchDurable } = await import("./durable.ts");
  const rows = await benchDurable();
  expect(rows.map((row) => row.what)).toEqual([
    "durable step / bare insert + commit of the same row (WAL, synchronous=FULL)",
    "a step after 300 / after 100",
    "memory of a 300-step run (rss; heap)",
    "resume of a 300-step run (chain verified)",
  ]);
  for (const { ratio } of rows.slice(0, 2)) expect(ratio).toBeGreaterThan(0.1);
  expect(rows[3]).toMatchObject({ ok: true });
});
