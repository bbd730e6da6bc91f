import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { anchor } from "./anchor.ts";
import { snapshotTree } from "./snapshot.ts";
import { AT, at, contents, scratch, temporaryFolder, treeContents, type Scratch } from "./testing/scratch.ts";
import { removeWorktree } from "./remove-worktree.ts";
import { ensureWorktree, rebaseWorktree } from "./worktree.ts";
import type { Repository } from "./repository.ts";

async function withFeature(user: Scratch = scratch(), featureId = "login") {
  const repo = await user.open();
  const request = {
    featureId,
    branch: featureId,
    baseRef: "refs/heads/main",
    path: join(user.root, ".worktrees", featureId),
    protectedBranches: ["main"],
  };
  const made = await ensureWorktree(repo, request);
  return { user, repo, request, made, worktree: at(made.path) };
}

describe("ensureWorktree", () => {
  test("a new feature gets .worktrees/<id>, on a branch of its name at the base's head", async () => {
    const { user, made, worktree } = await withFeature();
    expect(made).toEqual({
      path: join(user.root, ".worktrees/login"),
      branch: "login",
      baseCommit: user.git("rev-parse", "main"),
      created: true,
      rebuilt: false,
    });
    expect(contents(made.path)).toEqual(treeContents(user.root, "main"));
    expect(worktree.git("symbolic-ref", "HEAD")).toBe("refs/heads/login");
    expect(worktree.git("status", "--porcelain")).toBe("");
    expect(user.git("worktree", "list", "--porcelain")).toContain(`worktree ${made.path}\n`);
    expect(readdirSync(join(user.root, ".worktrees"))).toEqual(["login"]);
    expect(user.git("fsck", "--no-progress")).toBe("");
  });

  test("a second call changes no branch and no file, also after work, a moved base and a moved branch", async () => {
    const { user, repo, request, made, worktree } = await withFeature();
    worktree.write("src/add.ts", "changed\n");
    worktree.write("new.txt", "new\n");
    user.write("README.md", "the base moves\n");
    user.commit();
    const before = { files: contents(made.path), refs: user.git("for-each-ref"), status: worktree.git("status", "--porcelain") };
    const stamp = statSync(join(repo.commonDir, "worktrees/login/index")).mtimeMs;
    expect(await ensureWorktree(repo, request)).toEqual({ ...made, created: false });
    expect({ files: contents(made.path), refs: user.git("for-each-ref"), status: worktree.git("status", "--porcelain") }).toEqual(before);
    expect(statSync(join(repo.commonDir, "worktrees/login/index")).mtimeMs).toBeGreaterThanOrEqual(stamp);
  });

  test("files are written byte for byte, whatever attributes say", async () => {
    const user = scratch({ ".gitattributes": "* text eol=crlf\n*.txt ident\n" });
    const oid = user.git("rev-parse", "HEAD:.gitattributes");
    user.git("update-index", "--add", "--cacheinfo", `100644,${oid},id.txt`);
    user.git("commit", "-qm", "more");
    const { made } = await withFeature(user);
    expect(readFileSync(join(made.path, "id.txt"), "utf8")).toBe("* text eol=crlf\n*.txt ident\n");
  });

  test("attack 40: a deleted worktree is rebuilt from the last anchored commit", async () => {
    const { user, repo, request, made, worktree } = await withFeature();
    worktree.write("src/add.ts", "work\n");
    worktree.write("bin/run", "#!/bin/sh\n", 0o755);
    worktree.link("link", "src/add.ts");
    const { commit } = await anchor(repo, made.path, { run: "r", step: "s", message: "m", at: AT });
    const before = contents(made.path);
    rmSync(made.path, { recursive: true });
    expect(await ensureWorktree(repo, { ...request, expectedTree: commit })).toMatchObject({
      created: false,
      rebuilt: true,
      baseCommit: made.baseCommit,
    });
    expect(contents(made.path)).toEqual(before);
    expect(user.git("worktree", "list", "--porcelain").match(/^worktree/gm)).toHaveLength(2);
    expect(worktree.git("symbolic-ref", "HEAD")).toBe("refs/heads/login");
    expect(await snapshotTree(repo, made.path)).toBe(user.git("rev-parse", `${commit}^{tree}`));
  });

  test("a deleted worktree without an anchor is rebuilt from its branch", async () => {
    const { repo, request, made } = await withFeature();
    rmSync(made.path, { recursive: true });
    await ensureWorktree(repo, request);
    expect(contents(made.path)).toMatchObject({ "src/add.ts": expect.stringContaining("return a + b") });
  });

  test("a missing .git file is restored, and the files stay", async () => {
    const { repo, request, made, worktree } = await withFeature();
    worktree.write("new.txt", "mine\n");
    rmSync(join(made.path, ".git"));
    expect(await ensureWorktree(repo, request)).toMatchObject({ rebuilt: true });
    expect(worktree.git("status", "--porcelain")).toBe("?? new.txt");
  });

  test("a missing registration is restored, and the files stay", async () => {
    const { repo, request, made, worktree } = await withFeature();
    worktree.write("new.txt", "mine\n");
    rmSync(join(made.path, ".git"));
    rmSync(join(repo.commonDir, "worktrees"), { recursive: true });
    expect(await ensureWorktree(repo, request)).toMatchObject({ rebuilt: true });
    expect(worktree.git("symbolic-ref", "HEAD")).toBe("refs/heads/login");
    expect(readFileSync(join(made.path, "new.txt"), "utf8")).toBe("mine\n");
    expect(readdirSync(join(made.path, ".."))).toEqual(["login"]);
  });

  test("a git that fails half-way leaves nothing behind", async () => {
    const user = scratch();
    const repo = await user.open();
    const failing: Repository = { ...repo, vault: () => Promise.reject(new Error("no vault today")) };
    const request = { featureId: "login", branch: "login", baseRef: "main", path: join(user.root, ".worktrees/login") };
    await expect(ensureWorktree(failing, request)).rejects.toThrow("no vault today");
    expect(readdirSync(join(user.root, ".worktrees"))).toEqual([]);
    expect(existsSync(join(repo.commonDir, "worktrees"))).toBe(false);
    expect((await ensureWorktree(repo, request)).created).toBe(true);
  });

  test("a torn record counts as missing", async () => {
    const { repo, request, made } = await withFeature();
    const folder = join(repo.commonDir, "slipway/worktrees", readdirSync(join(repo.commonDir, "slipway/worktrees"))[0] ?? "");
    writeFileSync(join(folder, "record.json"), '{"featureId": "log');
    expect(await ensureWorktree(repo, request)).toEqual({ ...made, created: false });
    expect(JSON.parse(readFileSync(join(folder, "record.json"), "utf8"))).toMatchObject({ branch: "login", baseCommit: made.baseCommit });
  });

  test("a deleted branch starts again at the recorded base", async () => {
    const { user, repo, request, made } = await withFeature();
    rmSync(made.path, { recursive: true });
    user.git("worktree", "prune");
    user.git("branch", "-qD", "login");
    user.write("README.md", "moved\n");
    user.commit();
    expect(await ensureWorktree(repo, request)).toMatchObject({ baseCommit: made.baseCommit, rebuilt: true });
    expect(user.git("rev-parse", "login")).toBe(made.baseCommit);
  });

  test("without a base it starts at HEAD, and an unknown base is an error", async () => {
    const user = scratch();
    const repo = await user.open();
    const path = join(user.root, ".worktrees/a");
    expect((await ensureWorktree(repo, { featureId: "a", branch: "a", path })).baseCommit).toBe(user.git("rev-parse", "HEAD"));
    const request = { featureId: "b", branch: "b", baseRef: "nowhere", path: join(user.root, ".worktrees/b") };
    await expect(ensureWorktree(repo, request)).rejects.toMatchObject({
      code: "repository_unsuitable",
      message: expect.stringContaining('"nowhere"'),
    });
  });

  test("a folder that is not a worktree is not changed", async () => {
    const user = scratch();
    user.write(".worktrees/login/precious.txt", "mine\n");
    await expect(withFeature(user)).rejects.toMatchObject({ code: "operation_conflict" });
    expect(user.read(".worktrees/login/precious.txt").toString()).toBe("mine\n");
  });

  test("an empty folder, or one with a stray pointer, is used", async () => {
    const user = scratch();
    user.write(".worktrees/login/.git", "gitdir: /nowhere\n");
    const { worktree } = await withFeature(user);
    expect(worktree.git("status", "--porcelain")).toBe("");
  });

  test("a branch with its own commits is refused, and one at the base is used", async () => {
    const user = scratch();
    user.git("branch", "fine");
    user.git("checkout", "-q", "-b", "login");
    user.write("theirs.txt", "x");
    user.commit();
    user.git("checkout", "-q", "main");
    await expect(withFeature(user)).rejects.toMatchObject({ code: "feature_slug_collision" });
    expect((await withFeature(user, "fine")).made.created).toBe(true);
  });

  test("a branch that is checked out in another worktree is not touched", async () => {
    const user = scratch();
    const other = join(temporaryFolder(), "other");
    user.git("worktree", "add", "-q", "-b", "login", other);
    await expect(withFeature(user)).rejects.toMatchObject({ code: "operation_conflict", details: { file: other } });
  });

  test.each(["main", "Main", "-x", "--upload-pack=x", "a..b", "a.lock", "a b", "HEAD", "@{-1}", "a~1", "a/b", ".hidden", "", "x\n"])(
    "attack 22: the feature id %j is refused before git sees it",
    async (featureId) => {
      const user = scratch();
      const repo = await user.open();
      const refs = user.git("for-each-ref");
      const request = { featureId, branch: featureId, baseRef: "main", path: join(user.root, ".worktrees/x") };
      await expect(ensureWorktree(repo, request)).rejects.toMatchObject({ code: "invalid_feature_slug" });
      expect(user.git("for-each-ref")).toBe(refs);
      expect(user.exists(".worktrees")).toBe(false);
    },
  );

  test("the branch that the user has checked out, or that is protected, cannot be a feature", async () => {
    const user = scratch();
    user.git("checkout", "-q", "-b", "mine");
    user.git("branch", "release");
    const repo = await user.open();
    for (const featureId of ["mine", "release"]) {
      const request = {
        featureId,
        branch: featureId,
        baseRef: "main",
        path: join(user.root, ".worktrees/x"),
        protectedBranches: ["release"],
      };
      await expect(ensureWorktree(repo, request)).rejects.toMatchObject({ code: "invalid_feature_slug" });
    }
  });

  test("[FEA-007] the folder of the worktrees may be anywhere inside the repository; outside is path_out_of_bounds", async () => {
    const user = scratch();
    const repo = await user.open();
    const outside = temporaryFolder();
    user.link("escape", outside);
    user.write("file", "x");
    for (const path of [
      join(outside, "w"),
      "../w",
      user.root,
      join(user.root, ".git/w"),
      join(user.root, "escape/w"),
      join(user.root, "file/w"),
    ]) {
      await expect(ensureWorktree(repo, { featureId: "w", branch: "w", baseRef: "main", path })).rejects.toMatchObject({
        code: "path_out_of_bounds",
      });
    }
    expect(readdirSync(outside)).toEqual([]);
    const { path } = await ensureWorktree(repo, {
      featureId: "other",
      branch: "other",
      baseRef: "main",
      path: join(user.root, "build/trees/other"),
    });
    expect(contents(path)).toEqual(treeContents(user.root, "main"));
    expect(user.git("branch", "--list", "w")).toBe("");
  });

  test("a repository path with a symbolic link is accepted", async () => {
    const user = scratch();
    const alias = join(temporaryFolder(), "alias");
    symlinkSync(user.root, alias);
    const { path } = await ensureWorktree(await user.open(), {
      featureId: "w",
      branch: "w",
      baseRef: "main",
      path: join(alias, ".worktrees/w"),
    });
    expect(path).toBe(join(user.root, ".worktrees/w"));
  });
});

describe("attack 24: a swapped worktree is detected and not changed", () => {
  const swaps: Record<string, (made: string, user: Scratch) => void> = {
    "a symbolic link in its place": (made) => {
      renameSync(made, `${made}-moved`);
      symlinkSync(`${made}-moved`, made);
    },
    "a .git folder": (made) => {
      rmSync(join(made, ".git"));
      at(made).git("init", "-q");
    },
    "a .git link": (made, user) => {
      rmSync(join(made, ".git"));
      symlinkSync(join(user.root, ".git/worktrees/login"), join(made, ".git"));
    },
    "a .git file that points elsewhere": (made) => writeFileSync(join(made, ".git"), `gitdir: ${temporaryFolder()}\n`),
    "a .git file that is no pointer": (made) => writeFileSync(join(made, ".git"), "x".repeat(10_000)),
    "another worktree": (made, user) => {
      user.git("worktree", "add", "-q", "-b", "other", join(user.root, ".worktrees/other"));
      rmSync(made, { recursive: true });
      renameSync(join(user.root, ".worktrees/other"), made);
    },
  };
  test.each(Object.entries(swaps))("%s", async (_name, swap) => {
    const { user, repo, request, made } = await withFeature();
    swap(made.path, user);
    const before = contents(made.path);
    const uses: (() => Promise<unknown>)[] = [
      () => ensureWorktree(repo, request),
      () => snapshotTree(repo, made.path),
      () => removeWorktree(repo, { path: made.path }),
    ];
    for (const use of uses) await expect(use()).rejects.toMatchObject({ code: "worktree_swapped" });
    expect(contents(made.path)).toEqual(before);
  });

  test("a folder with nothing but a foreign .git folder is not removed", async () => {
    const user = scratch();
    mkdirSync(join(user.root, ".worktrees/login"), { recursive: true });
    at(join(user.root, ".worktrees/login")).git("init", "-q");
    await expect(withFeature(user)).rejects.toMatchObject({ code: "worktree_swapped" });
    expect(user.exists(".worktrees/login/.git/HEAD")).toBe(true);
  });

  test("a worktree on another branch", async () => {
    const { repo, request, worktree } = await withFeature();
    worktree.git("checkout", "-q", "-b", "sidestep");
    await expect(ensureWorktree(repo, request)).rejects.toMatchObject({
      code: "worktree_swapped",
      message: expect.stringContaining("sidestep"),
    });
    worktree.git("checkout", "-q", "--detach");
    await expect(ensureWorktree(repo, request)).rejects.toMatchObject({
      code: "worktree_swapped",
      message: expect.stringContaining("no branch"),
    });
  });

  test("a missing worktree is reported by everything but ensureWorktree", async () => {
    const { repo, made } = await withFeature();
    rmSync(made.path, { recursive: true });
    await expect(snapshotTree(repo, made.path)).rejects.toMatchObject({ code: "worktree_changed" });
  });
});

describe("removeWorktree", () => {
  test("what takes too long to remove is set aside, out of the worktree's place; files that need not be kept prevent nothing", async () => {
    const { repo, made } = await withFeature();
    const names = Array.from({ length: 10_000 }, (_, n) => `many/${n}`);
    mkdirSync(join(made.path, "many"));
    for (const name of [...names, "mine"]) writeFileSync(join(made.path, name), "");
    const request = { path: made.path, except: new Set(names), withinMs: 0 };
    await expect(removeWorktree(repo, request)).rejects.toMatchObject({ code: "delete_refused" });
    rmSync(join(made.path, "mine"));
    const { removed, setAside = "" } = await removeWorktree(repo, request);
    expect([removed, existsSync(made.path), existsSync(join(setAside, "worktree"))]).toEqual([true, false, true]);
    expect(readdirSync((await ensureWorktree(repo, { featureId: "login", branch: "login", path: made.path })).path)).not.toContain("many");
  });

  test("refuses while bytes are unreachable, and removes once they are anchored", async () => {
    const { user, repo, made, worktree } = await withFeature();
    worktree.write("new.txt", "work\n");
    worktree.write("dist/out.js", "ignored\n");
    await expect(removeWorktree(repo, { path: made.path })).rejects.toMatchObject({ code: "delete_refused" });
    expect(existsSync(join(made.path, "new.txt"))).toBe(true);
    const { ref } = await anchor(repo, made.path, { run: "r", step: "s", message: "m", at: AT });
    expect(await removeWorktree(repo, { path: made.path })).toEqual({ removed: true, branchDeleted: false });
    expect(readdirSync(join(user.root, ".worktrees"))).toEqual([]);
    expect(user.git("worktree", "list").split("\n")).toHaveLength(1);
    expect(user.git("show", `${ref}:new.txt`)).toBe("work");
    expect(user.git("branch", "--list", "login")).toContain("login");
    expect(await removeWorktree(repo, { path: made.path })).toEqual({ removed: false, branchDeleted: false });
  });

  test("an unchanged worktree is reachable by its branch, which is deleted only if another ref contains its commits", async () => {
    const first = await withFeature();
    expect(await removeWorktree(first.repo, { path: first.made.path, deleteBranch: true })).toEqual({ removed: true, branchDeleted: true });
    expect(await removeWorktree(first.repo, { path: first.made.path, deleteBranch: true })).toEqual({
      removed: false,
      branchDeleted: false,
    });
    const second = await withFeature(first.user, "other");
    second.worktree.write("x", "x");
    second.worktree.commit();
    expect(await removeWorktree(second.repo, { path: second.made.path, deleteBranch: true })).toEqual({
      removed: true,
      branchDeleted: false,
    });
    second.user.git("branch", "-qD", "other");
    expect(await removeWorktree(second.repo, { path: second.made.path, deleteBranch: true })).toEqual({
      removed: false,
      branchDeleted: false,
    });
  });

  test("what a tree cannot contain is discarded only with discardLeftOut", async () => {
    const { repo, made, worktree } = await withFeature();
    worktree.write("sub/file.txt", "x");
    at(join(made.path, "sub")).git("init", "-q");
    await anchor(repo, made.path, { run: "r", step: "s", message: "m", at: AT });
    await expect(removeWorktree(repo, { path: made.path })).rejects.toMatchObject({
      code: "delete_refused",
      details: { left_out: ["sub/.git"] },
    });
    expect(await removeWorktree(repo, { path: made.path, discardLeftOut: true })).toMatchObject({ removed: true });
  });
});

test("rebaseWorktree moves branch, files and record, and may be repeated", async () => {
  const { user, repo, request, made, worktree } = await withFeature();
  worktree.write("new.txt", "work\n");
  const from = await snapshotTree(repo, made.path);
  user.write("README.md", "moved\n");
  const onto = user.commit();
  user.write("new.txt", "work\n");
  user.git("add", "-A");
  const tree = user.git("write-tree");
  user.git("reset", "-q", "--hard");
  const input = { path: made.path, branch: "login", from, onto, tree };
  const move: (repo: Repository) => Promise<void> = (repository) => rebaseWorktree(repository, input);
  await move(repo);
  await move(repo);
  expect(contents(made.path)).toMatchObject({ "README.md": "- moved\n", "new.txt": "- work\n" });
  expect(user.git("rev-parse", "login")).toBe(onto);
  // `git status` there shows the work, and not a reversal of the base's move.
  expect(user.git("-C", made.path, "status", "--porcelain")).toBe("?? new.txt");
  expect((await ensureWorktree(repo, request)).baseCommit).toBe(onto);
  worktree.write("new.txt", "edited since\n");
  await expect(move(repo)).rejects.toMatchObject({ code: "worktree_changed" });
  expect(contents(made.path)).toMatchObject({ "new.txt": "- edited since\n" });
});

test("rebaseWorktree does not touch an index that another git has locked", async () => {
  const { user, repo, made } = await withFeature();
  user.write("README.md", "moved\n");
  const onto = user.commit();
  const lock = join(repo.commonDir, "worktrees", "login", "index.lock");
  writeFileSync(lock, "");
  await rebaseWorktree(repo, {
    path: made.path,
    branch: "login",
    from: user.git("rev-parse", `${made.baseCommit}^{tree}`),
    onto,
    tree: user.git("rev-parse", `${onto}^{tree}`),
  });
  expect(contents(made.path)).toMatchObject({ "README.md": "- moved\n" });
  expect(existsSync(lock)).toBe(true);
});
