import { writeFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parsePolicy } from "../../../config/policy.ts";
import { POLICY } from "../../testing/scratch-kernel.ts";
import { scratchFolder } from "../../../host/sandbox/testing/scratch.ts";
import { gatesWith, runCase, sandboxForGates, shellStep } from "./testing/gate.ts";

function lcov(hit: number): string {
  const lines = Array.from({ length: 10 }, (_, line) => `DA:${line + 1},${line < hit ? 1 : 0}\nBRDA:${line + 1},0,0,${line < hit ? 1 : 0}`);
  return ["SF:a.ts", ...lines, "end_of_record", ""].join("\n");
}

test("[FEA-047] Slipway's own 0.90 does not apply to a managed repository: no parser, no coverage; its own minimum, whatever the value", async () => {
  const { testing } = parsePolicy("slipway/policy.yaml", POLICY);
  expect(testing.coverage.minimums).toEqual({ line: 0.9, branch: 0.9 });
  const sandbox = await sandboxForGates();
  const without = await runCase({ sandbox, config: gatesWith([shellStep("test", "true")]) });
  expect(without).toMatchObject({ passed: true });

  const covered = async (hit: number) => {
    const worktree = scratchFolder();
    mkdirSync(join(worktree, "coverage"));
    writeFileSync(join(worktree, "report"), lcov(hit));
    const config = gatesWith([shellStep("test", "cp report coverage/lcov.info")], {
      parsers: { coverage: { type: "lcov", path: "coverage/lcov.info" } },
      thresholds: { coverage_line_min: 0.5, coverage_branch_min: 0.5 },
    });
    return runCase({ sandbox, worktree, config });
  };
  expect(await covered(6)).toMatchObject({ passed: true });
  expect(await covered(4)).toMatchObject({ passed: false, failure: { code: "coverage_below_minimum" } });
});
