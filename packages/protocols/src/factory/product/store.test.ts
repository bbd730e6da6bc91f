import { openScratchKernel } from "@slipway/kernel/change/testing/scratch-kernel";
import { existsSync, symlinkSync, mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { keepDraft, persistSpec, productFolder } from "./store.ts";
import { sampleSpec } from "./testing/specs.ts";

const call = { actor: { type: "orchestrator", id: "orchestrator@run" }, operationId: "run/tool:1.1.1" } as const;

test("an emission repeated after a crash is the same emission", async () => {
  const { kernel, close } = await openScratchKernel();
  const emission = { spec: sampleSpec(), warnings: [], sources: [{ query: "q", urls: [] }] };
  const first = await persistSpec(kernel, call, emission);
  expect(await persistSpec(kernel, call, emission)).toEqual(first);
  const other = await persistSpec(kernel, { ...call, operationId: "run/tool:1.2.1" }, emission);
  expect(other.artifact_ref).not.toBe(first.artifact_ref);
  expect(productFolder(kernel)).toBe(join(kernel.records.layout.root, ".slipway", "state_store", "product"));
  await close();
});

test("a draft does not follow a link out of the run's folder", async () => {
  const { kernel, close } = await openScratchKernel();
  const outside = mkdtempSync(join(tmpdir(), "slipway-outside-"));
  const folder = join(kernel.records.layout.run("run"), "product", "1");
  mkdirSync(folder, { recursive: true });
  symlinkSync(outside, join(folder, "link"));
  await expect(keepDraft(kernel, "run", 1, "link/draft.json", "{}")).rejects.toMatchObject({ code: "path_out_of_bounds" });
  expect(existsSync(join(outside, "draft.json"))).toBe(false);
  await close();
});
