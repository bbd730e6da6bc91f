import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { lettersToApprove, type Project } from "../testing/project.ts";

async function merged(): Promise<Project> {
  const project = await lettersToApprove();
  await project.slipway(["approve"]);
  expect((await project.slipway(["merge"])).code).toBe(0);
  return project;
}

const worktree = (project: Project) => String(project.sql("SELECT worktree FROM features")[0]?.["worktree"]);
const branches = (project: Project) => project.git("for-each-ref", "--format=%(refname:short)", "refs/heads").trim().split("\n");

describe("A6: after a merge", () => {
  test("clean removes worktree and branch, and keeps the feature and its evidence", async () => {
    const project = await merged();
    const tip = project.git("rev-parse", "letters").trim();
    const look = await project.slipway(["clean", "--dry-run"]);
    expect(look.stdout).toBe(`letters: would remove worktree ${worktree(project)} and branch letters\n`);
    expect(existsSync(worktree(project))).toBe(true);
    const { code, stdout } = await project.slipway(["clean"]);
    expect([code, stdout]).toEqual([0, `letters: removed worktree ${worktree(project)} and branch letters\n`]);
    expect(existsSync(worktree(project))).toBe(false);
    expect(branches(project)).toEqual(["main"]);
    expect(project.git("worktree", "list").trim().split("\n")).toHaveLength(1);
    // If the merge made its own commit, the branch's commit is on no other branch, but stays reachable.
    expect(project.git("for-each-ref", "--contains", tip)).not.toBe("");
    expect((await project.slipway(["status"])).stdout).toContain("merged");
    expect((await project.slipway(["evidence", "letters"])).stdout).toContain("Merged into main");
    expect((await project.slipway(["diff", "letters"])).stdout).toContain("+two");
    expect((await project.slipway(["clean"])).stdout).toBe("No merged feature has a worktree or a branch.\n");
    expect((await project.slipway(["journal", "verify"])).code).toBe(0);
    expect((await project.slipway(["delete", "letters", "--yes"])).code).toBe(0);
  });

  test.each([
    [
      "an edit by hand",
      (project: Project) => writeFileSync(join(worktree(project), "src", "b.txt"), "mine\n"),
      /uncommitted changes, such as src\/b\.txt/,
    ],
    [
      "a commit by hand",
      (project: Project) => project.git("-C", worktree(project), "commit", "-q", "--allow-empty", "-m", "mine"),
      /the branch has \d+ commits that main does not have/,
    ],
  ])("%s keeps both, and says so", async (_what, make, why) => {
    const project = await merged();
    make(project);
    const tip = project.git("rev-parse", "letters");
    const { code, stdout } = await project.slipway(["clean"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^letters: kept worktree \S+ and branch letters: .*\n {2}next: slipway delete letters\n$/);
    expect(stdout).toMatch(why);
    expect(existsSync(worktree(project))).toBe(true);
    expect(project.git("rev-parse", "letters")).toBe(tip);
  });

  test("a feature that is not merged is refused by name, and skipped without a name", async () => {
    const project = await lettersToApprove();
    expect((await project.slipway(["clean"])).stdout).toBe("No merged feature has a worktree or a branch.\n");
    const { code, stderr } = await project.slipway(["clean", "letters"]);
    expect(code).toBe(2);
    expect(stderr).toBe(
      'delete_refused: "letters" is ready_to_merge; only merged features can be cleaned.\n  next: slipway delete letters\n',
    );
    expect((await project.slipway(["clean", "--json"])).json()).toEqual([{ ok: true, dry_run: false, features: [] }]);
    expect(existsSync(worktree(project))).toBe(true);
  });
});
