import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { lettersOn } from "./change/testing/letters.ts";
import { openScratchKernel, PERSON, type ScratchKernel } from "./change/testing/scratch-kernel.ts";
import { examineGit } from "./examine-git.ts";
import { plainGit, temporaryFolder } from "./host/git/testing/scratch.ts";
import { commitAllFiles, newRepository } from "./new-repository.ts";
import { openRepositoryView, repositoryView, type RepositoryView } from "./repository-view.ts";

const { env } = process;
const DATED = { message: "Start", author: { name: "Ada", email: "ada@example.org" }, at: "2026-01-01T00:00:00Z" };

test("a new repository has the same commit wherever it is made, and more files become another one", async () => {
  const folders = [temporaryFolder(), temporaryFolder()];
  for (const folder of folders) {
    writeFileSync(join(folder, "a.txt"), "one\n");
    await newRepository(folder, env, DATED);
  }
  const [first, second] = folders.map((folder) => plainGit(folder, ["log", "--format=%H %an %s", "main"]));
  expect(first).toBe(second);
  expect(first).toMatch(/^[0-9a-f]{40} Ada Start\n$/);
  writeFileSync(join(folders[0] ?? "", "b.txt"), "two\n");
  await commitAllFiles(folders[0] ?? "", env, { ...DATED, message: "More" });
  expect(plainGit(folders[0] ?? "", ["ls-tree", "--name-only", "main"])).toBe("a.txt\nb.txt\n");
});

test("the git that is used, or why there is none", async () => {
  expect(await examineGit(env)).toEqual({ file: expect.stringMatching(/\/git$/), version: expect.stringMatching(/^\d+\.\d+/) });
  await expect(examineGit({ PATH: "/nowhere" })).rejects.toMatchObject({ code: "git_missing" });
});

describe("what commands ask of a repository", () => {
  let scratch: ScratchKernel;
  let view: RepositoryView;
  beforeEach(async () => {
    scratch = await openScratchKernel();
    view = repositoryView(scratch.kernel.repository);
  });
  afterEach(() => scratch.close());

  test("where it is, what is tracked, and what is committed at a revision", async () => {
    const opened = await openRepositoryView({ cwd: join(scratch.root, "src"), env });
    expect(opened).toMatchObject({ root: scratch.root, commonDir: join(scratch.root, ".git") });
    writeFileSync(join(scratch.root, "new.txt"), "new\n");
    expect(await opened.files()).toEqual(expect.arrayContaining(["src/a.txt", "new.txt"]));
    expect([await opened.isTracked("src/a.txt"), await opened.isTracked("new.txt")]).toEqual([true, false]);
    expect([await opened.hasCommit("refs/heads/main"), await opened.hasCommit("refs/heads/none")]).toEqual([true, false]);
    expect(Buffer.from((await opened.fileAt("HEAD", "src/a.txt")) ?? []).toString()).toBe("one\n");
    expect(await opened.fileAt("HEAD", "new.txt")).toBeNull();
    expect(await opened.fileAt("refs/heads/none", "src/a.txt")).toBeNull();
    await expect(opened.readerAt("HEAD")("new.txt")).rejects.toMatchObject({ code: "config_missing" });
    expect((await opened.committed()).configuration.policy.worktree.base_branch).toBe("main");
    expect(await opened.describe()).toMatchObject({ headRef: "refs/heads/main", dirty: true });
  });

  test("a repository without a commit is opened only where that is allowed", async () => {
    const cwd = temporaryFolder();
    plainGit(cwd, ["init", "-q"]);
    await expect(openRepositoryView({ cwd, env })).rejects.toMatchObject({ code: "repository_unsuitable" });
    expect((await openRepositoryView({ cwd, env, allowUnborn: true })).root).toBe(cwd);
  });

  test("the diff of a feature, what a person did in its worktree, and its anchors as a branch again", async () => {
    const feature = lettersOn(scratch);
    await feature.built();
    const row = await feature.row();
    expect((await view.diff(row.base_commit, row.tree)).toString()).toContain("-one\n+two\n");
    expect(await view.handWork(row)).toBeNull();
    mkdirSync(join(row.worktree, "mine"));
    writeFileSync(join(row.worktree, "mine", "a.txt"), "mine\n");
    expect(await view.handWork(row)).toBe("1 file edited by hand");
    rmSync(join(row.worktree, "mine"), { recursive: true });
    const [anchor] = await view.anchors.list();
    expect(anchor).toMatchObject({ feature: "letters", tree: row.tree });
    expect([anchor?.isOf("letters"), anchor?.isOf("other"), await anchor?.filesChanged()]).toEqual([true, false, 1]);
    const commit = anchor?.commit ?? "";
    expect(await view.anchors.commitOf(commit.slice(0, 10))).toBe(commit);
    const input = { commit, slug: "letters", branch: null };
    expect(await view.anchors.restore(scratch.records, PERSON, input)).toEqual({ branch: "restored/letters-1", commit });
  });
});
