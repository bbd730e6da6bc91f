import { expect, it } from "vitest";
import { benchSandbox, inTurns, overheadRow } from "./bench.ts";

it("measures the overhead of the sandbox, with and without a layer, against its bar", async () => {
  const rows = await benchSandbox(2);
  expect(rows.map(({ bar }) => bar)).toEqual(["≤ 15 ms", "≤ 15 ms"]);
  for (const { value } of rows) expect(value).toMatch(/ms, bare spawn .* ms, median of 2|not measured/);
});

it("alternates the compared actions, and drops the warm-up rounds", async () => {
  const called: string[] = [];
  const { a, b } = await inTurns(2, { a: async () => called.push("a"), b: async () => called.push("b") });
  expect([a.length, b.length]).toEqual([2, 2]);
  expect(called.join("")).toMatch(/^(ab)+$/);
  expect(called.length).toBeGreaterThan(4);
});

it("compares the median with the bare one, and reports a value above the bar", () => {
  expect(overheadRow("x", [1, 2, 9], [30, 12, 11], 10)).toMatchObject({ value: expect.stringMatching(/^10\.0 ms/), ratio: 6, ok: true });
  expect(overheadRow("x", [1, 2, 9], [30, 12.1, 11], 10)).toMatchObject({ ok: false });
});
