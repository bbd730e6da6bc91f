import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { layoutAt } from "@slipway/kernel/host/layout";
import { expect, test } from "vitest";
import { FILES, letters, lettersToApprove } from "./testing/project.ts";

test("a database restored from an older copy is refused before any work", async () => {
  const project = await lettersToApprove();
  const copy = join(project.home, "copy");
  cpSync(layoutAt(project.root).truth, copy, { recursive: true });
  await project.slipway(["approve"]);
  expect((await project.slipway(["merge"])).code).toBe(0);
  const merged = project.git("rev-parse", "main");

  rmSync(layoutAt(project.root).truth, { recursive: true });
  cpSync(copy, layoutAt(project.root).truth, { recursive: true });
  const { code, stderr } = await project.slipway(["resume", "--cassette", project.cassette]);
  expect(code).toBe(3);
  expect(stderr).toMatch(/^journal_broken: .*slipway\.db is older than its kept heads.*\n {2}next: /);
  expect(project.git("rev-parse", "main")).toBe(merged);
  expect(project.sql("SELECT pid FROM run_lease")).toEqual([{ pid: null }]);
});

test("a state folder that was deleted on purpose is not reported", async () => {
  const project = await lettersToApprove();
  rmSync(layoutAt(project.root).truth, { recursive: true });
  rmSync(join(project.root, ".worktrees"), { recursive: true });
  project.git("worktree", "prune");
  project.git("branch", "-D", "letters");
  expect((await project.run()).code).toBe(23);
  expect((await project.slipway(["journal", "verify"])).code).toBe(0);
});

test.each(["~/config", "~/", "/"])("a policy that would show gates the approval key (%s) is refused", async (path) => {
  const policy = `${FILES["slipway/policy.yaml"]}sandbox: { read_only: ["${path}"] }\n`;
  const project = letters({ "slipway/policy.yaml": policy });
  const { code, stderr } = await project.run();
  expect(code).toBe(2);
  expect(stderr).toMatch(/^config_invalid: .*slipway\/policy\.yaml/);
});

test("a cancelled run ends its features, which then no longer count as in progress", async () => {
  const project = await lettersToApprove();
  const { code } = await project.slipway(["stop", "--cancel", "--yes"]);
  expect(code).toBe(0);
  expect(project.sql("SELECT status, status_reason FROM features")).toEqual([
    { status: "failed", status_reason: "the run was cancelled by kim" },
  ]);
});

test("status reports that the process of a run is gone", async () => {
  const project = await lettersToApprove();
  project.sql("UPDATE runs SET status = 'running', lease_pid = 999999999 WHERE parent_run_id IS NULL RETURNING 1");
  expect((await project.slipway(["status"])).stdout).toContain("was cut off (process 999999999 is gone); continue with `slipway resume`");
});

test("after the approval, status names the merge command", async () => {
  const project = await lettersToApprove();
  await project.slipway(["approve"]);
  expect((await project.slipway(["status"])).stdout).toContain("letters is approved  → slipway merge letters");
});
