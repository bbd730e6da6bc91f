import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { layoutAt } from "@slipway/kernel/host/layout";
import { describe, expect, test } from "vitest";
import { git } from "../init/testing/scratch.ts";
import { jsonLines, lettersToApprove, type Project } from "../testing/project.ts";

const worktreeOf = (project: Project) => join(project.root, ".worktrees/letters");
const runOf = (project: Project) => String(project.sql("SELECT run_id FROM runs WHERE run_id = root_run_id")[0]?.["run_id"]);

interface Logged {
  readonly event: string;
  readonly data: { readonly name: string; readonly payload: { readonly event: unknown } };
}

function repairsInLog(project: Project): unknown[] {
  const log = join(layoutAt(project.root).run(runOf(project)), "journal.jsonl");
  const lines = jsonLines<Logged>(readFileSync(log, "utf8"));
  return lines.filter(({ data }) => data.name === "feature.repair").map(({ data }) => data.payload.event);
}

/** The worktree and the branch of a feature that waits for its approval are gone. */
async function lost(): Promise<Project> {
  const project = await lettersToApprove();
  project.git("worktree", "remove", "--force", worktreeOf(project));
  project.git("branch", "-D", "letters");
  expect(await project.slipway(["approve", "letters", "--yes"])).toMatchObject({ code: 0 });
  return project;
}

describe("A1: repairs from the record are reported", () => {
  test("by the command that continues the run", async () => {
    const project = await lost();
    const { code, stdout } = await project.slipway(["merge", "letters"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^- letters: repaired: recreated the branch letters at [0-9a-f]{40}; recreated the worktree \S+$/m);
  });

  test("in journal.jsonl of the run", async () => {
    const project = await lost();
    await project.slipway(["merge", "letters"]);
    expect(repairsInLog(project)).toEqual([
      {
        feature_id: "letters",
        done: [expect.stringMatching(/^recreated the branch letters/), expect.stringMatching(/^recreated the worktree /)],
      },
    ]);
  });

  test("by slipway watch, once, in order with the other events", async () => {
    const project = await lost();
    await project.slipway(["merge", "letters"]);
    const { stdout } = await project.slipway(["watch", runOf(project)]);
    expect(stdout.match(/repaired: /g)).toHaveLength(1);
    expect(stdout).toMatch(/asks: Merge letters into main\?[\s\S]+repaired: [\s\S]+merged into main/);
  });

  test("as JSON, with the run and the feature", async () => {
    const project = await lost();
    const { stdout } = await project.slipway(["merge", "letters", "--json"]);
    expect(jsonLines<{ event?: string }>(stdout).filter(({ event }) => event === "repaired")).toMatchObject([
      { event: "repaired", run: runOf(project), feature: "letters", done: [expect.any(String), expect.any(String)] },
    ]);
  });

  test("also for a HEAD that was put back", async () => {
    const project = await lettersToApprove();
    git(worktreeOf(project), "checkout", "--quiet", "--detach");
    await project.slipway(["approve", "letters", "--yes"]);
    const { stdout } = await project.slipway(["merge", "letters"]);
    expect(stdout).toContain("- letters: repaired: checked the branch letters out again\n");
  });

  test("no report if nothing was lost", async () => {
    const project = await lettersToApprove();
    await project.slipway(["approve", "letters", "--yes"]);
    expect((await project.slipway(["merge", "letters"])).stdout).not.toContain("repaired");
    expect(repairsInLog(project)).toEqual([]);
  });

  test("also by a retry", async () => {
    const project = await lettersToApprove();
    await project.slipway(["stop", "--cancel", "--yes"]);
    rmSync(worktreeOf(project), { recursive: true });
    const { stdout } = await project.slipway(["retry", "letters", "--cassette", project.cassette]);
    expect(stdout).toMatch(/^- letters: repaired: recreated the worktree \S+$/m);
  });
});
