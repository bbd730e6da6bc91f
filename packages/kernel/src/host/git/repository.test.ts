import { chownSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { describeRepository, excludeLocally, openRepository } from "./repository.ts";
import { at, bareScratch, FILES, plainGit, scratch, temporaryFolder } from "./testing/scratch.ts";

describe("openRepository", () => {
  test("finds the main working tree from any folder, also in a linked worktree", async () => {
    const user = scratch();
    const linked = join(temporaryFolder(), "linked");
    user.git("worktree", "add", "-q", "-b", "other", linked);
    for (const start of [user.root, join(user.root, "src"), linked]) {
      expect(await openRepository(start)).toMatchObject({
        root: user.root,
        gitDir: join(user.root, ".git"),
        commonDir: join(user.root, ".git"),
        objectFormat: "sha1",
      });
    }
  });

  test("a git folder elsewhere, and a worktree of a bare repository, are found", async () => {
    const folder = temporaryFolder();
    const user = bareScratch(join(folder, "repo"), ["--separate-git-dir", join(folder, "store")]);
    user.write("a", "a");
    user.commit();
    expect(await openRepository(user.root)).toMatchObject({ root: user.root, commonDir: join(folder, "store") });
    plainGit(folder, ["clone", "-q", "--bare", user.root, "bare.git"]);
    plainGit(join(folder, "bare.git"), ["worktree", "add", "-q", join(folder, "tree"), "main"]);
    expect(await openRepository(join(folder, "tree"))).toMatchObject({
      root: join(folder, "tree"),
      gitDir: join(folder, "bare.git/worktrees/tree"),
      commonDir: join(folder, "bare.git"),
    });
  });

  test("no repository, or an unsuitable one, is an error with a next action", async () => {
    const folder = temporaryFolder();
    const bare = join(folder, "bare.git");
    plainGit(folder, ["init", "-q", "--bare", bare]);
    const empty = bareScratch(join(folder, "empty"));
    writeFileSync(join(folder, "file"), "x");
    const user = scratch();
    const cases: [string, string, RegExp][] = [
      [join(folder, "nowhere"), "not_a_repository", /folder does not exist/],
      [join(folder, "file"), "not_a_repository", /folder does not exist/],
      [folder, "not_a_repository", /not in a git repository/],
      [join(user.root, ".git"), "not_a_repository", /git's own folder/],
      [bare, "repository_unsuitable", /bare/],
      [empty.root, "repository_unsuitable", /no commit yet/],
    ];
    for (const [start, code, message] of cases) {
      await expect(openRepository(start)).rejects.toMatchObject({
        code,
        message: expect.stringMatching(message),
        details: { suggested_next_actions: [expect.any(String)] },
      });
    }
    writeFileSync(join(user.root, ".git/config"), "[nonsense\n");
    await expect(openRepository(user.root)).rejects.toMatchObject({
      code: "not_a_repository",
      message: expect.stringContaining("git says"),
    });
    await expect(openRepository(user.root, { env: { PATH: folder } })).rejects.toMatchObject({ code: "git_missing" });
  });

  test("B29: a core.worktree that leads into another folder is not followed", async () => {
    const user = scratch();
    const other = scratch();
    user.git("config", "core.worktree", other.root);
    await expect(openRepository(user.root)).rejects.toMatchObject({
      code: "repository_unsuitable",
      message: expect.stringContaining("core.worktree"),
    });
    user.git("config", "core.worktree", user.root);
    expect(await openRepository(user.root)).toMatchObject({ root: user.root });
  });

  test.runIf(process.getuid?.() === 0)("a repository of another user opens for reading, because nothing in it can run", async () => {
    const user = scratch();
    for (const path of [user.root, ...readdirSync(user.root, { recursive: true, encoding: "utf8" }).map((name) => join(user.root, name))])
      chownSync(path, 12_345, 12_345);
    expect(() => user.git("status")).toThrow(/dubious ownership/);
    expect((await describeRepository(await user.open())).headRef).toBe("refs/heads/main");
  });

  test("a repository without commits opens with allowUnborn", async () => {
    const empty = bareScratch(join(temporaryFolder(), "empty"));
    const repo = await openRepository(empty.root, { allowUnborn: true, env: { PATH: process.env["PATH"] } });
    expect(await describeRepository(repo)).toMatchObject({
      head: null,
      headRef: "refs/heads/main",
      detached: false,
      dirty: false,
      branches: [],
    });
    expect(repo.home).toBe("/");
  });
});

describe("describeRepository", () => {
  test("a clean one on a branch", async () => {
    const user = scratch();
    expect(await describeRepository(await user.open())).toEqual({
      head: user.git("rev-parse", "HEAD"),
      headRef: "refs/heads/main",
      detached: false,
      dirty: false,
      dirtyPaths: [],
      hasSubmodules: false,
      shallow: false,
      partialClone: false,
      branches: [{ name: "main", commit: user.git("rev-parse", "HEAD") }],
    });
  });

  test("detached, dirty, with submodules, shallow", async () => {
    const origin = scratch();
    origin.write("more", "x");
    origin.commit();
    const user = at(join(temporaryFolder(), "clone"));
    plainGit("/", ["clone", "-q", "--depth=1", `file://${origin.root}`, user.root]);
    user.write(".gitmodules", "");
    user.commit();
    user.git("checkout", "-q", "--detach");
    user.write("README.md", "dirty\n");
    user.write("new", "x");
    user.git("config", "extensions.partialClone", "origin");
    user.git("config", "core.repositoryformatversion", "1");
    const found = await describeRepository(await user.open());
    expect(found).toMatchObject({
      headRef: null,
      detached: true,
      dirty: true,
      dirtyPaths: ["README.md", "new"],
      hasSubmodules: true,
      shallow: true,
      partialClone: true,
    });
  });

  test("attack 19, 21: neither fsmonitor nor a filter runs, nor anything inside a submodule", async () => {
    const pwned = join(temporaryFolder(), "pwned");
    const user = scratch({ ...FILES, ".gitattributes": "* filter=evil\n" });
    user.git("config", "filter.evil.clean", `touch ${pwned}; cat`);
    user.git("config", "core.fsmonitor", `touch ${pwned}`);
    user.git("config", "core.hooksPath", join(user.root, "hooks"));
    user.git("update-index", "--add", "--cacheinfo", `160000,${user.git("rev-parse", "HEAD")},sub`);
    mkdirSync(join(user.root, "sub"));
    at(join(user.root, "sub")).git("init", "-q");
    writeFileSync(join(user.root, "sub/.git/config"), `[core]\n\tfsmonitor = "touch ${pwned}"\n`);
    user.write("src/add.ts", "touched, so that git would have to filter it\n");
    rmSync(pwned, { force: true });
    expect(await describeRepository(await user.open())).toMatchObject({ dirty: true });
    expect(() => statSync(pwned)).toThrow("ENOENT");
  });

  test("describing writes nothing into the repository", async () => {
    const user = scratch();
    user.write("src/add.ts", readFileSync(join(user.root, "src/add.ts")));
    const before = statSync(join(user.root, ".git/index")).mtimeMs;
    await describeRepository(await user.open());
    expect(statSync(join(user.root, ".git/index")).mtimeMs).toBe(before);
    expect(user.exists(".git/slipway")).toBe(false);
  });
});

describe("excludeLocally", () => {
  test("adds each pattern once, keeps existing lines, and creates a missing file", async () => {
    const user = scratch();
    const repo = await user.open();
    const file = join(user.root, ".git/info/exclude");
    writeFileSync(file, "mine\n.slipway/");
    expect(await excludeLocally(repo, [".slipway/", ".worktrees/"])).toEqual([".worktrees/"]);
    expect(await excludeLocally(repo, [".slipway/", ".worktrees/"])).toEqual([]);
    expect(readFileSync(file, "utf8")).toBe("mine\n.slipway/\n.worktrees/\n");
    user.write(".slipway/x", "x");
    user.write(".worktrees/x", "x");
    expect(user.git("status", "--porcelain")).toBe("");
    rmSync(join(user.root, ".git/info"), { recursive: true });
    await excludeLocally(repo, [".slipway/"]);
    expect(readFileSync(file, "utf8")).toBe(".slipway/\n");
  });
});
