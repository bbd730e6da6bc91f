import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { git } from "../init/testing/scratch.ts";
import { letters, lettersToApprove, patchOf, planFor, type Ended, type Project } from "../testing/project.ts";

/** What people may do to a feature's worktree and branch, and to the base. The feature lands in every case. */

const worktreeOf = (project: Project) => String(project.sql("SELECT worktree FROM features WHERE id = 'letters'")[0]?.["worktree"]);
const statusOf = (project: Project) => project.sql("SELECT status FROM features WHERE id = 'letters'")[0]?.["status"];
const openQuestions = (project: Project) => project.sql("SELECT id, kind, title, body FROM questions WHERE status = 'open'");

async function toMerge(project: Project): Promise<Ended> {
  await project.slipway(["approve", "letters"]);
  return project.slipway(["merge", "letters"]);
}

function expectMerged(project: Project, ended: Ended, text = "two\n"): void {
  expect(statusOf(project), `${ended.stdout}${ended.stderr}`).toBe("merged");
  expect(ended.code, ended.stdout).toBe(0);
  expect(project.git("show", "main:src/a.txt")).toBe(text);
}

async function answer(project: Project, value: string, kind: string): Promise<Ended> {
  const [question] = openQuestions(project).filter((open) => open["kind"] === kind);
  expect(question, JSON.stringify(openQuestions(project))).toBeDefined();
  return project.slipway(["answer", String(question?.["id"]), value]);
}

const WAYS: Readonly<Record<string, (project: Project) => void>> = {
  "rm -rf of the worktree": (project) => rmSync(worktreeOf(project), { recursive: true }),
  "rm -rf of the folder of all worktrees": (project) => rmSync(join(worktreeOf(project), ".."), { recursive: true }),
  "git worktree remove --force": (project) => void project.git("worktree", "remove", "--force", worktreeOf(project)),
  "rm -rf, then git worktree prune": (project) => {
    rmSync(worktreeOf(project), { recursive: true });
    project.git("worktree", "prune");
  },
  "git worktree remove --force, then git branch -D": (project) => {
    project.git("worktree", "remove", "--force", worktreeOf(project));
    project.git("branch", "-D", "letters");
  },
  "git worktree move": (project) => void project.git("worktree", "move", worktreeOf(project), join(project.home, "moved")),
  "git worktree lock": (project) => void project.git("worktree", "lock", worktreeOf(project)),
  "git worktree lock, then rm -rf": (project) => {
    project.git("worktree", "lock", worktreeOf(project));
    rmSync(worktreeOf(project), { recursive: true });
  },
  "its .git file deleted": (project) => rmSync(join(worktreeOf(project), ".git")),
  "the branch deleted by its ref": (project) => void project.git("update-ref", "-d", "refs/heads/letters"),
  "the branch checked out elsewhere": (project) => {
    project.git("worktree", "remove", "--force", worktreeOf(project));
    project.git("worktree", "add", "--quiet", join(project.home, "elsewhere"), "letters");
  },
  "HEAD detached": (project) => void git(worktreeOf(project), "checkout", "--quiet", "--detach"),
  "another branch checked out in it": (project) => void git(worktreeOf(project), "switch", "--quiet", "--create", "mine"),
};

/** Each has reached the phase of its name; `goOn` continues it to its approval. */
const PHASES: Readonly<Record<string, { begin(): Promise<Project>; goOn(project: Project): Promise<Ended> }>> = {
  "planned, nothing built": {
    async begin() {
      const project = letters();
      project.record("builder", "1", { type: "REQUEST", request: "more_context", text: "what?" });
      project.record("builder", "2", patchOf("src/a.txt", "one", "two"));
      await project.run();
      return project;
    },
    async goOn(project) {
      await project.slipway(["answer", "Q1", "--comment", "go on"]);
      await project.slipway(["resume", "--cassette", project.cassette]);
      return toMerge(project);
    },
  },
  "blocked in building": {
    async begin() {
      const project = letters();
      for (let attempt = 1; attempt <= 9; attempt++) project.record("builder", String(attempt), patchOf("src/b.txt", "one", "two"));
      await project.run();
      expect(statusOf(project)).toBe("blocked");
      return project;
    },
    async goOn(project) {
      for (let attempt = 1; attempt <= 9; attempt++) project.record("builder", String(attempt), patchOf("src/a.txt", "one", "two"));
      await answer(project, "retry", "blocked");
      await project.slipway(["resume", "--cassette", project.cassette]);
      return toMerge(project);
    },
  },
  "waiting for approval": { begin: lettersToApprove, goOn: toMerge },
  approved: {
    async begin() {
      const project = await lettersToApprove();
      await project.slipway(["approve", "letters"]);
      return project;
    },
    goOn: (project) => project.slipway(["merge", "letters"]),
  },
  "approved on a base that has moved": {
    async begin() {
      const project = await lettersToApprove();
      await project.slipway(["approve", "letters"]);
      project.write("src/b.txt", "moved\n");
      project.git("commit", "--quiet", "-am", "theirs");
      return project;
    },
    goOn: (project) => project.slipway(["merge", "letters"]),
  },
};

describe("A1: worktree or branch gone, moved, locked or elsewhere", () => {
  for (const [phase, { begin, goOn }] of Object.entries(PHASES)) {
    // Every mishap is tested in the phase with most state; in the others only those that remove everything.
    const ways = Object.entries(WAYS).filter(([way]) => phase.startsWith("approved on") || /^rm -rf of the worktree|branch -D$/.test(way));
    for (const [way, mishap] of ways) {
      test(`A1: ${way} while ${phase}: it is recreated, and the feature lands`, async () => {
        const project = await begin();
        mishap(project);
        expectMerged(project, await goOn(project));
      });
    }
  }
});

test("A1: rm -rf of the worktree of a change that adds a file: it is recreated, and the feature lands", async () => {
  const project = letters();
  const files = { create: ["src/new.txt"], modify: ["src/a.txt"], delete: [] };
  project.record("planner", "1", planFor("letters", { files }));
  const { unified_diff, ...patch } = patchOf("src/a.txt", "one", "two");
  const added = "diff --git a/src/new.txt b/src/new.txt\nnew file mode 100644\n--- /dev/null\n+++ b/src/new.txt\n@@ -0,0 +1 @@\n+two\n";
  project.record("builder", "1", { ...patch, unified_diff: `${unified_diff}${added}` });
  const passed = (path: string) => ({ path, hunks: [{ start_line: 1, end_line: 1 }], status: "passed" });
  project.record("qa", "1", { type: "NOTE", text: "covered", updates: [passed("src/a.txt"), passed("src/new.txt")] });
  await project.run();
  rmSync(worktreeOf(project), { recursive: true });
  expectMerged(project, await toMerge(project));
  expect(project.git("show", "main:src/new.txt")).toBe("two\n");
});

describe("A2: an interrupted base move", () => {
  test("A2: the branch is at an earlier commit of the base: it is corrected, and the feature lands", async () => {
    const project = await lettersToApprove();
    project.git("commit", "--quiet", "--allow-empty", "-m", "A");
    project.git("update-ref", "refs/heads/letters", project.git("rev-parse", "main").trim());
    project.git("commit", "--quiet", "--allow-empty", "-m", "B");
    expectMerged(project, await toMerge(project));
  });
});

const commitByHand = (project: Project) => {
  const worktree = worktreeOf(project);
  writeFileSync(join(worktree, "src/a.txt"), "two\nby hand\n");
  git(worktree, "add", "-A");
  git(worktree, "commit", "--quiet", "-m", "my fix by hand");
};
const editByHand = (project: Project) => {
  writeFileSync(join(worktreeOf(project), "src/a.txt"), "two\nby hand\n");
  writeFileSync(join(worktreeOf(project), "src/new.txt"), "mine\n");
};

for (const [finding, what, mishap] of [
  ["A3", "a commit by hand on the feature's branch", commitByHand],
  ["A4", "an uncommitted edit in its worktree", editByHand],
] as const) {
  describe(`${finding}: ${what}`, () => {
    test(`${finding}: approve signs nothing, and a question about it comes before the approval`, async () => {
      const project = await lettersToApprove();
      mishap(project);
      const approved = await project.slipway(["approve", "letters"]);
      expect(approved.code).toBe(23);
      expect(approved.stdout).toMatch(/by hand/);
      await project.slipway(["resume"]);
      const [question] = openQuestions(project);
      expect(question).toMatchObject({ kind: "edited" });
      expect(String(question?.["body"])).toContain("src/a.txt");
    });

    test(`${finding}: after the approval it is noticed at the merge, and a question stops the merge`, async () => {
      const project = await lettersToApprove();
      await project.slipway(["approve", "letters"]);
      mishap(project);
      const merged = await project.slipway(["merge", "letters"]);
      expect(merged.code).toBe(23);
      expect(statusOf(project)).toBe("ready_to_merge");
      expect(openQuestions(project)).toMatchObject([{ kind: "edited" }]);
      expect(readFileSync(join(worktreeOf(project), "src/a.txt"), "utf8")).toBe("two\nby hand\n");
    });

    test(`${finding}: adopted, it is gated and approved again, and lands`, async () => {
      const project = await lettersToApprove();
      await project.slipway(["approve", "letters"]);
      mishap(project);
      await project.slipway(["merge", "letters"]);
      await answer(project, "adopt", "edited");
      expect((await project.slipway(["resume"])).code).toBe(23);
      expect(openQuestions(project)).toMatchObject([{ kind: "approval" }]);
      expectMerged(project, await toMerge(project), "two\nby hand\n");
    });

    test(`${finding}: set aside, it is kept on a named branch, and the approved change lands`, async () => {
      const project = await lettersToApprove();
      await project.slipway(["approve", "letters"]);
      mishap(project);
      await project.slipway(["merge", "letters"]);
      const answered = await answer(project, "set_aside", "edited");
      expect(answered.stdout).toContain("slipway/kept/letters-1");
      expectMerged(project, await project.slipway(["resume"]));
      expect(project.git("show", "slipway/kept/letters-1:src/a.txt")).toBe("two\nby hand\n");
    });

    test(`${finding}: gates that fail after adoption send it back to the builder with the reason`, async () => {
      const project = await lettersToApprove();
      writeFileSync(join(worktreeOf(project), "src/a.txt"), "BUG\n");
      await project.slipway(["approve", "letters"]);
      await project.slipway(["resume"]);
      await answer(project, "adopt", "edited");
      await project.slipway(["resume"]);
      expect(statusOf(project)).not.toBe("failed");
      expect(project.git("show", "main:src/a.txt")).toBe("one\n");
    });
  });
}

describe("B12: the base was rewritten", () => {
  test("B12: amended (message only): the change is rebuilt, and the approval holds", async () => {
    const project = await lettersToApprove();
    await project.slipway(["approve", "letters"]);
    project.git("commit", "--quiet", "--amend", "-m", "another message");
    expectMerged(project, await project.slipway(["merge", "letters"]));
    expect(project.git("log", "--first-parent", "--format=%s", "main").trim().split("\n")).toHaveLength(2);
  });

  test("B12: rebased onto commits from upstream", async () => {
    const project = await lettersToApprove();
    await project.slipway(["approve", "letters"]);
    project.git("switch", "--quiet", "--orphan", "upstream");
    project.git("commit", "--quiet", "--allow-empty", "-m", "upstream");
    project.git("switch", "--quiet", "main");
    project.git("rebase", "--quiet", "--root", "--onto", "upstream", "main");
    expectMerged(project, await project.slipway(["merge", "letters"]));
  });

  test("B12: reset to before the commit it was built on", async () => {
    const project = letters();
    project.git("commit", "--quiet", "--allow-empty", "-m", "to be dropped");
    await project.run();
    project.git("reset", "--quiet", "--hard", "HEAD~1");
    expectMerged(project, await toMerge(project));
  });

  test("B12: rewritten in a file of the change, so that it conflicts: a question, with an option to check again", async () => {
    const project = await lettersToApprove();
    await project.slipway(["approve", "letters"]);
    const before = project.git("rev-parse", "main").trim();
    project.write("src/a.txt", "other\n");
    project.git("commit", "--quiet", "--amend", "-am", "rewritten");
    expect((await project.slipway(["merge", "letters"])).code).toBe(23);
    expect(openQuestions(project)).toMatchObject([{ kind: "conflict" }]);
    project.git("reset", "--quiet", "--hard", before);
    await answer(project, "retry", "conflict");
    expectMerged(project, await project.slipway(["resume"]));
  });

  test("B12: the base branch was deleted: the run stops and names it; after it is restored, the feature lands", async () => {
    const project = await lettersToApprove();
    await project.slipway(["approve", "letters"]);
    project.git("branch", "-m", "main", "trunk");
    const merged = await project.slipway(["merge", "letters"]);
    expect(merged.code).toBe(2);
    expect(merged.stderr).toMatch(/^config_invalid: .*"main", which does not exist/);
    expect(statusOf(project)).toBe("ready_to_merge");
    project.git("branch", "-m", "trunk", "main");
    expectMerged(project, await project.slipway(["merge", "letters"]));
  });
});

test("the base already has the change: a person is asked, and the feature does not end", async () => {
  const project = await lettersToApprove();
  await project.slipway(["approve", "letters"]);
  project.write("src/a.txt", "two\n");
  project.git("commit", "--quiet", "-am", "the same");
  expect((await project.slipway(["merge", "letters"])).code).toBe(23);
  expect(statusOf(project)).not.toBe("failed");
  expect(existsSync(worktreeOf(project))).toBe(true);
});
