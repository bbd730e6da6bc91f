import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { anchor } from "./anchor.ts";
import { connect } from "./registration.ts";
import { headCommit, pointHead, readHead, standUp, type RecordedWorktree } from "./stand-up.ts";
import type { Repository } from "./repository.ts";
import { AT, at, contents, scratch, type Scratch } from "./testing/scratch.ts";
import { ensureWorktree } from "./worktree.ts";

let user: Scratch;
let repo: Repository;
let recorded: RecordedWorktree;
let worktree: Scratch;
/** The files of the feature. */
let files: Record<string, string>;

beforeEach(async () => {
  user = scratch();
  repo = await user.open();
  const path = join(user.root, ".worktrees/login");
  const made = await ensureWorktree(repo, { featureId: "login", branch: "login", baseRef: "refs/heads/main", path });
  worktree = at(path);
  worktree.write("src/add.ts", "work\n");
  const { tree } = await anchor(repo, path, { run: "r", step: "s", message: "m", at: AT });
  recorded = { featureId: "login", branch: "login", baseBranch: "main", baseCommit: made.baseCommit, tree, path };
  files = contents(path);
});

const MADE_BRANCH = /^recreated the branch login at [0-9a-f]{40}$/;
const MADE_WORKTREE = /^recreated the worktree .*\/\.worktrees\/login$/;

/** Complete, on its branch, and known to git. */
function stands(): void {
  expect(contents(recorded.path)).toEqual(files);
  expect(worktree.git("symbolic-ref", "HEAD")).toBe("refs/heads/login");
  expect(worktree.git("status", "--porcelain")).toBe(" M src/add.ts");
  expect(user.git("worktree", "list", "--porcelain").match(/^worktree/gm)).toHaveLength(2);
  expect(user.git("fsck", "--no-progress")).toBe("");
}

describe("missing parts are recreated", () => {
  test.each<readonly [string, () => void, readonly RegExp[]]>([
    ["nothing", () => undefined, []],
    ["the folder", () => worktree.remove("."), [MADE_WORKTREE]],
    [
      "folder and registration, as `git worktree remove` leaves it",
      () => user.git("worktree", "remove", "--force", recorded.path),
      [MADE_WORKTREE],
    ],
    [
      "the folder of a locked worktree",
      () => {
        user.git("worktree", "lock", recorded.path);
        worktree.remove(".");
      },
      [MADE_WORKTREE],
    ],
    [
      "folder, registration and branch",
      () => {
        user.git("worktree", "remove", "--force", recorded.path);
        user.git("branch", "-D", "login");
      },
      [MADE_BRANCH, MADE_WORKTREE],
    ],
    ["the branch of an existing worktree", () => user.git("update-ref", "-d", "refs/heads/login"), [MADE_BRANCH]],
    [
      "the registration alone",
      () => rmSync(join(repo.commonDir, "worktrees"), { recursive: true }),
      [/^removed the \.git file/, MADE_WORKTREE],
    ],
    ["the .git file alone", () => worktree.remove(".git"), [MADE_WORKTREE]],
    [
      "the harness's own record of it",
      () => {
        rmSync(join(repo.commonDir, "slipway/worktrees"), { recursive: true });
        worktree.remove(".");
      },
      [MADE_WORKTREE],
    ],
  ])("%s", async (_what, breakIt, done) => {
    breakIt();
    const said = await standUp(repo, recorded);
    expect(said).toHaveLength(done.length);
    for (const [index, pattern] of done.entries()) expect(said[index]).toMatch(pattern);
    stands();
    expect(await standUp(repo, recorded)).toEqual([]);
  });
});

describe("existing parts are not changed", () => {
  test("edits in a worktree whose registration is missing", async () => {
    rmSync(join(repo.commonDir, "worktrees"), { recursive: true });
    worktree.write("src/add.ts", "by hand\n");
    worktree.write("new.txt", "by hand\n");
    await standUp(repo, recorded);
    expect(worktree.read("src/add.ts").toString()).toBe("by hand\n");
    expect(worktree.read("new.txt").toString()).toBe("by hand\n");
    expect(worktree.git("status", "--porcelain")).toBe(" M src/add.ts\n?? new.txt");
  });

  test("a branch that a person has moved", async () => {
    const moved = user.git("commit-tree", "-p", "main", "-m", "moved", "main:src");
    user.git("worktree", "remove", "--force", recorded.path);
    user.git("branch", "-f", "login", moved);
    await standUp(repo, recorded);
    expect(user.git("rev-parse", "login")).toBe(moved);
    expect(contents(recorded.path)).toEqual(files);
    expect(worktree.git("diff", "--cached", "--name-only")).toBe("");
  });

  test("another checkout of the branch", async () => {
    user.git("worktree", "remove", "--force", recorded.path);
    user.git("switch", "--quiet", "login");
    user.write("README.md", "in the middle of something\n");
    await standUp(repo, recorded);
    expect(contents(recorded.path)).toEqual(files);
    expect(user.git("status", "--porcelain", "-uno")).toBe(" M README.md");
    expect(user.git("symbolic-ref", "HEAD")).toBe("refs/heads/login");
  });

  test.each<readonly [string, () => void]>([
    [
      "another repository in its place",
      () => {
        worktree.remove(".git");
        at(recorded.path).git("init", "--quiet");
      },
    ],
    [
      "a pointer into another repository",
      () => writeFileSync(join(recorded.path, ".git"), `gitdir: ${user.root}/other/.git/worktrees/login\n`),
    ],
    ["a pointer to another worktree", () => writeFileSync(join(recorded.path, ".git"), `gitdir: ${repo.commonDir}/worktrees/other\n`)],
  ])("%s is refused, not repaired", async (_what, swap) => {
    user.git("worktree", "add", "--quiet", "-b", "other", join(user.root, ".worktrees/other"));
    swap();
    const before = contents(recorded.path);
    await expect(standUp(repo, recorded)).rejects.toMatchObject({ code: "worktree_swapped" });
    await expect(readHead(repo, recorded.path)).rejects.toMatchObject({ code: "worktree_swapped" });
    expect(contents(recorded.path)).toEqual(before);
  });
});

describe("what is checked out", () => {
  test("is the branch with its commit, also when its ref is packed", async () => {
    const commit = recorded.baseCommit;
    expect(await readHead(repo, recorded.path)).toEqual({ id: "login", branch: "login", commit });
    user.git("pack-refs", "--all");
    expect(existsSync(join(repo.commonDir, "refs/heads/login"))).toBe(false);
    expect(await headCommit(repo, "login")).toBe(commit);
    expect(await headCommit(repo, "nobody")).toBeNull();
  });

  test("is a commit if HEAD is detached, and the branch can be checked out again without touching a file", async () => {
    worktree.git("checkout", "--quiet", "--detach");
    expect(await readHead(repo, recorded.path)).toMatchObject({ branch: null, commit: recorded.baseCommit });
    await pointHead(repo, "login", "login");
    stands();
  });

  test("is null if the worktree is missing", async () => {
    const head = join(repo.commonDir, "worktrees/login/HEAD");
    writeFileSync(head, "");
    expect(await readHead(repo, recorded.path)).toEqual({ id: "login", branch: null, commit: null });
    renameSync(join(repo.commonDir, "worktrees/login"), join(user.root, "gone"));
    expect(await readHead(repo, recorded.path)).toBeNull();
    worktree.remove(".");
    expect(await readHead(repo, recorded.path)).toBeNull();
    mkdirSync(recorded.path);
    expect(await readHead(repo, recorded.path)).toBeNull();
    expect(readFileSync(join(user.root, "gone/gitdir"), "utf8")).toContain(recorded.path);
  });
});

test("a .git file that cannot be placed leaves nothing in the worktree that would look like a person's file", async () => {
  worktree.remove(".git");
  mkdirSync(join(recorded.path, ".git"));
  const before = readdirSync(recorded.path);
  await expect(connect(repo, "login", recorded.path)).rejects.toThrow();
  expect(readdirSync(recorded.path)).toEqual(before);
});
