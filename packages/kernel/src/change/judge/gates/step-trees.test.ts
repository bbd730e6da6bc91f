import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ProcessOutcome, Sandbox } from "../../../host/sandbox/contract.ts";
import { scratchFolder } from "../../../host/sandbox/testing/scratch.ts";
import { gatesWith, runCase, shellStep } from "./testing/gate.ts";

const passed: ProcessOutcome = { exitCode: 0, signal: null, timedOut: false, aborted: false, limit: null, durationMs: 1 };

/** Steps that write where this isolation lets them, and print what they find there. */
function writing(layers: boolean, ...steps: ((root: string) => void)[]): Sandbox {
  return {
    kind: "bubblewrap",
    layers,
    run: async ({ worktree, layer }) => {
      expect(layer !== undefined).toBe(layers);
      steps.shift()?.(layer === undefined ? worktree : join(layer, "upper"));
      return passed;
    },
  };
}

function put(root: string, path: string, text: string): void {
  mkdirSync(join(root, path, ".."), { recursive: true });
  writeFileSync(join(root, path), text);
}

const two = gatesWith([shellStep("build", "true", { produces: ["build/out", "src/made"] }), shellStep("test", "true")]);

describe.each([true, false])("the steps of a gate, with layers: %s", (layers) => {
  it("find the listed products of earlier steps, and nothing else that was written", async () => {
    const [worktree, scratch] = [scratchFolder(), scratchFolder()];
    put(worktree, "src/a.txt", "tracked");
    const found: string[] = [];
    const sandbox = writing(
      layers,
      (root) => {
        put(root, "build/out/a", "1");
        put(root, "src/made/b", "2");
        put(root, "build/other", "3");
        symlinkSync("/etc/passwd", join(root, "build/out/link"));
      },
      (root) => {
        found.push(readFileSync(join(root, "build/out/a"), "utf8"), readFileSync(join(root, "src/made/b"), "utf8"));
        if (layers) expect(readdirSync(join(root, "build"))).toEqual(["out"]);
      },
    );
    const result = await runCase({ sandbox, config: two, worktree, scratch, resetTree: async () => undefined });
    expect(result.failure).toBeNull();
    expect(found).toEqual(["1", "2"]);
    expect(result.steps[0]?.produced).toMatchObject([
      { path: "build/out", files: 1, bytes: 1, digest: expect.stringMatching(/^[0-9a-f]{64}$/) },
      { path: "src/made", files: 1 },
    ]);
    expect(result.isolation).toBe(layers ? "layer" : "reset");
    expect(readdirSync(scratch)).toEqual([]);
    if (layers) expect(existsSync(join(worktree, "build"))).toBe(false);
  });

  it("fail if they do not write their product, or if it is a tracked file", async () => {
    const [worktree, scratch] = [scratchFolder(), scratchFolder()];
    const given = { config: two, worktree, scratch, resetTree: async () => undefined };
    expect(await runCase({ ...given, sandbox: writing(layers) })).toMatchObject({
      failure: { code: "gate_failed" },
      steps: [{}, { status: "skipped" }],
    });
    const trackedPaths = async () => ["build/out"];
    const config = gatesWith([shellStep("build", "true", { produces: ["build/out"] })]);
    expect(
      await runCase({ ...given, config, trackedPaths, sandbox: writing(layers, (root) => put(root, "build/out", "x")) }),
    ).toMatchObject({
      failure: { code: "config_invalid" },
    });
  });
});

it("layers of a killed process are removed when the next gate starts", async () => {
  const scratch = scratchFolder();
  put(scratch, "999999999-abc/layer-1/upper/a", "left");
  await runCase({ sandbox: writing(true), config: gatesWith([shellStep("a", "true")]), scratch });
  await expect.poll(() => readdirSync(scratch)).toEqual([]);
});
