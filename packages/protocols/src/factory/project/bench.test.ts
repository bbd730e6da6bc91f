import { expect, test } from "vitest";
import { measureProject } from "./bench.ts";
import { projectOf } from "./testing/specs.ts";

test("every figure is measured", async () => {
  const figures = await measureProject(projectOf(100), 3);
  expect(figures.tasks).toBe(100);
  for (const [name, figure] of Object.entries(figures)) expect(figure, name).toBeGreaterThan(0);
});
