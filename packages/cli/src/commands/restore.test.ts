import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { lettersToApprove, type Project } from "../testing/project.ts";

const branches = (project: Project) => project.git("for-each-ref", "--format=%(refname:short)", "refs/heads").trim().split("\n");
const checkout = (project: Project) => [
  project.git("symbolic-ref", "HEAD"),
  project.git("rev-parse", "HEAD", "main"),
  project.git("status", "--porcelain"),
];

function editByHand(project: Project): void {
  const [row] = project.sql("SELECT worktree FROM features");
  writeFileSync(join(String(row?.["worktree"]), "src", "b.txt"), "by hand\n");
}

interface Listed {
  readonly anchors: readonly { ref: string; commit: string; tree: string; base: string; what: string; step: string; files: number }[];
}

async function listed(project: Project, name = "letters"): Promise<Listed["anchors"]> {
  return (await project.slipway(["restore", name, "--list", "--json"])).json<Listed>()[0]?.anchors ?? [];
}

describe("restore", () => {
  test("A6: the work of a deleted feature becomes a branch on its base, and the checkout is unchanged", async () => {
    const project = await lettersToApprove();
    const base = project.git("rev-parse", "main").trim();
    await project.slipway(["delete", "letters", "--force"]);
    project.write("src/b.txt", "mine, not committed\n");
    const before = checkout(project);
    const { code, stdout } = await project.slipway(["restore", "letters"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Branch restored\/letters-1 is at \w{10} \(refs\/slipway\/\S+\)\.\n {2}next: git show restored\/letters-1\n/);
    expect(project.git("show", "restored/letters-1:src/a.txt")).toBe("two\n");
    expect(project.git("rev-parse", "restored/letters-1^").trim()).toBe(base);
    expect(checkout(project)).toEqual(before);
    expect((await project.slipway(["journal", "verify"])).code).toBe(0);
  });

  test("an existing branch is never moved: the next free name is used, and a chosen one is refused", async () => {
    const project = await lettersToApprove();
    project.git("branch", "restored/letters-1", "main");
    const mine = project.git("rev-parse", "restored/letters-1");
    expect((await project.slipway(["restore", "letters", "--json"])).json()).toMatchObject([{ ok: true, branch: "restored/letters-2" }]);
    expect(project.git("rev-parse", "restored/letters-1")).toBe(mine);
    const before = branches(project);
    for (const name of ["main", "letters", "restored/letters-1", "--all", "a..b"]) {
      const refused = await project.slipway(["restore", "letters", `--branch=${name}`]);
      expect([refused.code, refused.stderr.split(":")[0]]).toEqual([2, "invalid_cli_args"]);
    }
    expect(branches(project)).toEqual(before);
    expect((await project.slipway(["restore", "letters", "--branch", "back"])).stdout).toMatch(/^Branch back is at /);
    expect(project.git("show", "back:src/a.txt")).toBe("two\n");
  });

  test("a branch called restored leaves no room for restored/NAME, so another name is used", async () => {
    const project = await lettersToApprove();
    project.git("branch", "restored", "main");
    expect((await project.slipway(["restore", "letters"])).stdout).toMatch(/^Branch restored-letters-1 is at /);
  });

  test("--list shows each anchor with its time, step, kind and number of changed files; each can be restored", async () => {
    const project = await lettersToApprove();
    editByHand(project);
    await project.slipway(["delete", "letters", "--force"]);
    const anchors = await listed(project);
    expect(anchors.map(({ what, files }) => [what, files])).toEqual([
      ["bytes found when it was deleted", 2],
      ["patch", 1],
    ]);
    expect(anchors[1]?.step).toBe("patch:1");
    const { stdout } = await project.slipway(["restore", "letters", "--list"]);
    expect(stdout).toMatch(
      /^20\d\d-\S+Z {2}bytes found when it was deleted.*, 2 files changed\n {2}refs\/slipway\/\S+\n20\d\d-\S+Z {2}patch \(patch:1\), 1 file changed {2}← restored by default\n {2}refs\/slipway\/\S+\n$/,
    );
    expect((await project.slipway(["restore", anchors[0]?.ref ?? "", "--branch", "found"])).code).toBe(0);
    expect(project.git("show", "found:src/b.txt")).toBe("by hand\n");
    expect((await project.slipway(["restore", "patch:1", "--branch", "part"])).code).toBe(0);
    expect((await project.slipway(["restore", anchors[1]?.commit.slice(0, 12) ?? "", "--branch", "commit"])).code).toBe(0);
    expect(project.git("rev-parse", "part", "commit").split("\n").filter(Boolean)).toEqual([anchors[1]?.commit, anchors[1]?.commit]);
  });

  test("ambiguous, unknown and unanchored names are refused, and no branch is made", async () => {
    const project = await lettersToApprove();
    editByHand(project);
    await project.slipway(["delete", "letters", "--force"]);
    project.git("commit", "-q", "--allow-empty", "-m", "not anchored");
    const before = branches(project);
    const ambiguous = await project.slipway(["restore", "feature:letters"]);
    expect(ambiguous.stderr).toMatch(/^invalid_cli_args: "feature:letters" matches 2 anchors\.\n {2}next: slipway restore refs\/slipway\//);
    expect(ambiguous.code).toBe(2);
    expect((await listed(project, "feature:letters")).length).toBe(2);
    for (const name of ["nothing", project.git("rev-parse", "main").trim()]) {
      const { code, stderr } = await project.slipway(["restore", name]);
      expect(code).toBe(2);
      expect(stderr).toMatch(/^feature_not_found: .*\n {2}next: There are anchors of letters\.\n$/);
    }
    expect((await project.slipway(["restore"])).code).toBe(2);
    expect(branches(project)).toEqual(before);
  });
});
