import { expect, it } from "vitest";
import { benchGates } from "./bench.ts";

it("measures the overhead of a gate with and without a sandbox against its limits", async () => {
  const rows = await benchGates(3);
  expect(rows.map(({ bar }) => bar)).toEqual(["≤ 5 ms", "≤ 20 ms"]);
  for (const { what, value } of rows) {
    expect(what).toContain("over a bare spawn");
    expect(value).toMatch(/ms|not measured/);
  }
});
