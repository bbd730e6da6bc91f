import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { measureProject } from "./bench.ts";
import { projectOf } from "./testing/specs.ts";

test("every figure is measured", async () => {
  const folder = mkdtempSync(join(tmpdir(), "slipway-project-bench-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const figures = await measureProject(projectOf(100), folder, 3);
  expect(figures.tasks).toBe(100);
  for (const [name, figure] of Object.entries(figures)) expect(figure, name).toBeGreaterThan(0);
});
