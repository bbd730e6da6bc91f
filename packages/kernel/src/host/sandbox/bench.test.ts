import { expect, it } from "vitest";
import { benchSandbox, inTurns, overheadRow } from "./bench.ts";

it("measures what the sandbox adds to a command, with and without a layer, against its bar", async () => {
  const rows = await benchSandbox(2);
  expect(rows.map(({ bar }) => bar)).toEqual(["≤ 15 ms", "≤ 15 ms"]);
  for (const { value } of rows) expect(value).toMatch(/ms, bare spawn .* ms, median of 2|not measured/);
});

it("lets everything that is compared take turns, and leaves the first rounds out", async () => {
  const called: string[] = [];
  const { a, b } = await inTurns(2, { a: async () => called.push("a"), b: async () => called.push("b") });
  expect([a.length, b.length]).toEqual([2, 2]);
  expect(called.join("")).toMatch(/^(ab)+$/);
  expect(called.length).toBeGreaterThan(4);
});

it("sets the median against the bare one, and says when that is beyond the bar", () => {
  expect(overheadRow("x", [1, 2, 9], [30, 12, 11], 10)).toMatchObject({ value: expect.stringMatching(/^10\.0 ms/), ratio: 6, ok: true });
  expect(overheadRow("x", [1, 2, 9], [30, 12.1, 11], 10)).toMatchObject({ ok: false });
});
