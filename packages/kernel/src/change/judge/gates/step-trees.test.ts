import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
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

it("a layer has copies of the named files, with their times and modes, and planted ones in their place", async () => {
  const [worktree, scratch] = [scratchFolder(), scratchFolder()];
  for (const path of ["a.sh", "b.txt", "c.txt"]) put(worktree, path, path);
  chmodSync(join(worktree, "a.sh"), 0o755);
  utimesSync(join(worktree, "a.sh"), 1_000, 2_000);
  symlinkSync("c.txt", join(worktree, "link"));
  const seen: string[] = [];
  const sandbox = writing(true, (root) => {
    for (const path of readdirSync(root)) {
      const { mode, mtimeMs } = statSync(join(root, path));
      seen.push(`${path} ${readFileSync(join(root, path), "utf8")} ${(mode & 0o777).toString(8)}${mtimeMs === 2_000_000 ? " old" : ""}`);
    }
  });
  const planted = { files: [{ path: "b.txt", text: "planted", like: "b.txt" }], isEnough: () => true };
  const copied = ["a.sh", "b.txt", "link", "gone.txt"];
  await runCase({ sandbox, config: gatesWith([shellStep("test", "true")]), worktree, scratch, planted, copied });
  expect(seen).toEqual(["a.sh a.sh 755 old", "b.txt planted 644"]);
});

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
