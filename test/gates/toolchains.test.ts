import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { callAs } from "@slipway/kernel/change/testing/letters";
import { openScratchKernel, POLICY, scratchPlan } from "@slipway/kernel/change/testing/scratch-kernel";
import { findOnPath } from "@slipway/kernel/host/sandbox/host";
import { openSandbox } from "@slipway/kernel/host/sandbox/sandbox";
import { sandboxWorksHere } from "@slipway/kernel/host/sandbox/testing/scratch";
import { describe, expect, test } from "vitest";
import { FIXTURES, missingFor, type Fixture } from "./fixtures.ts";

const available = sandboxWorksHere();
const ID = { feature_id: "sums" } as const;

/** The same policy for every kind, except for the folders of this machine's toolchains. */
function policyFor({ home = [], env = {} }: Fixture): string {
  const shown = home.filter((path) => existsSync(join(homedir(), path))).map((path) => `"~/${path}"`);
  return `${POLICY}sandbox: { read_only: [${shown.join(", ")}] }
execution: { env_allowlist: [${["PATH", "LANG", "LC_ALL", "TZ", ...Object.keys(env)].join(", ")}] }
`;
}

/** A patch of one line with as much context as the file has. */
function replacing({ source, files }: Fixture, from: string, to: string): string {
  const lines = (files[source] ?? "").split("\n").slice(0, -1);
  const at = lines.indexOf(from);
  const [above, below] = [lines.slice(Math.max(0, at - 1), at), lines.slice(at + 1, at + 2)];
  const size = above.length + 1 + below.length;
  const hunk = [
    `@@ -${at - above.length + 1},${size} +${at - above.length + 1},${size} @@`,
    ...above.map((line) => ` ${line}`),
    `-${from}`,
    `+${to}`,
  ];
  const body = [...hunk, ...below.map((line) => ` ${line}`)].join("\n");
  return `diff --git a/${source} b/${source}\n--- a/${source}\n+++ b/${source}\n${body}\n`;
}

describe("[FEA-002] one build, and only the repository's configuration differs", () => {
  test.for(Object.entries(FIXTURES))(
    "a repository of the %s kind: gates pass, and catch a broken line",
    { timeout: 240_000 },
    async ([, fixture], { skip }) => {
      skip(!available, "no sandbox here");
      const missing = missingFor(fixture, (program) => findOnPath(program, process.env["PATH"] ?? ""));
      skip(missing !== null, missing ?? "");
      const { source, right, wrong, caught, tests } = fixture;
      const scratch = await openScratchKernel(
        { ...fixture.files, "slipway/policy.yaml": policyFor(fixture) },
        { sandbox: await openSandbox(), ...(fixture.env === undefined ? {} : { env: fixture.env }) },
      );
      const { features } = scratch.kernel;
      const spec_digest = await scratch.records.objects.put(Buffer.from("# Sums\n"));
      await features.init(callAs(), { ...ID, run_id: "run1", spec_source: "sums.md", spec_digest });
      const plan = { allowed_areas: [source], files: { create: [], modify: [source], delete: [] } };
      await features.submitPlan(callAs(), { ...ID, plan_json: scratchPlan("sums", plan) });
      for (const mode of ["fast", "full"]) {
        const summary = await features.runGates(callAs(), { ...ID, mode });
        expect(summary.failure).toBeNull();
        expect(summary).toMatchObject({ passed: true, sandbox: "bubblewrap" });
        if (mode === "full") expect(summary.tests?.passed ?? null).toBe(tests);
      }
      await features.applyPatch(callAs(), { ...ID, unified_diff: replacing(fixture, right, wrong) });
      const broken = await features.runGates(callAs(), { ...ID, mode: "full" });
      expect(broken).toMatchObject({ passed: false, failure: { code: "gate_failed" } });
      expect(await features.lastFailedLog("sums")).toContain(caught);
      // The worktree contains only the feature, whatever the tools left behind.
      expect(scratch.git("-C", ".worktrees/sums", "status", "--porcelain")).toBe(` M ${source}\n`);
      await scratch.close();
    },
  );
});
