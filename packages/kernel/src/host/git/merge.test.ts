import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { changeBetween, diffText, digestOfEntries, porcelain } from "./change.ts";
import { buildMerge, landMerge, type MergeStrategy } from "./merge.ts";
import { excludeLocally, type Repository } from "./repository.ts";
import { AT, at, contents, FILES, plainGit, scratch, temporaryFolder, treeContents, type Scratch } from "./testing/scratch.ts";
import { ensureWorktree } from "./worktree.ts";
import { killGroup, startProcess } from "./process.ts";
import { snapshotTree } from "./snapshot.ts";

const author = { name: "Grace <x>\n", email: "grace@example.org" };
const committer = { name: "Slipway", email: "slipway@localhost" };

interface Prepared {
  readonly user: Scratch;
  readonly repo: Repository;
  readonly base: string;
  readonly tree: string;
}

/** A repository in which a feature has changed README.md, added src/new.ts and bin/run, and deleted src/add.ts. */
async function prepared(user = scratch({ ...FILES, "other.txt": "other\n", "lib/deep/file": "x\n" })): Promise<Prepared> {
  const repo = await user.open();
  await excludeLocally(repo, [".slipway/", ".worktrees/"]);
  const { path, baseCommit } = await ensureWorktree(repo, {
    featureId: "login",
    branch: "login",
    baseRef: "main",
    path: join(user.root, ".worktrees/login"),
  });
  const worktree = at(path);
  worktree.write("README.md", "# Merged\n");
  worktree.write("src/new.ts", "new\n");
  worktree.write("bin/run", "#!/bin/sh\n", 0o755);
  worktree.remove("src/add.ts");
  worktree.remove("lib");
  return { user, repo, base: baseCommit, tree: await snapshotTree(repo, path) };
}

function build({ repo, base, tree }: Prepared, strategy: MergeStrategy, baseNow = base) {
  return buildMerge(repo, {
    baseCommit: base,
    baseNow,
    tree,
    strategy,
    message: "login: a form\n\nWith a body.",
    author,
    committer,
    at: AT,
  });
}

async function land(world: Prepared, strategy: MergeStrategy = "merge_commit") {
  const expected = world.user.git("rev-parse", "main");
  const { commit, featureCommit } = await build(world, strategy, expected);
  const input = { baseBranch: "main", expected, commit, featureBranch: "login", featureCommit };
  return { input, result: await landMerge(world.repo, input) };
}

describe("buildMerge", () => {
  test("merge_commit: the base's tip is a merge of the base and one feature commit", async () => {
    const world = await prepared();
    const { commit, featureCommit, tree, conflicts } = await build(world, "merge_commit");
    expect(world.user.git("log", "-1", "--format=%P|%T|%s", commit)).toBe(
      `${world.base} ${featureCommit}|${world.tree}|Merge "login: a form"`,
    );
    expect(world.user.git("log", "-1", "--format=%P|%T|%B|%an|%ae|%cn|%at|%ct", featureCommit)).toBe(
      `${world.base}|${world.tree}|login: a form\n\nWith a body.\n|Grace  x|grace@example.org|Slipway|${AT / 1000}|${AT / 1000}`,
    );
    expect({ tree, conflicts }).toEqual({ tree: world.tree, conflicts: [] });
  });

  test("squash: one commit on the base, different from the feature's", async () => {
    const world = await prepared();
    const { commit, featureCommit } = await build(world, "squash");
    expect(world.user.git("log", "-1", "--format=%P|%T|%s", commit)).toBe(`${world.base}|${world.tree}|login: a form`);
    expect(world.user.git("log", "-1", "--format=%(trailers:key=Squashed-from,valueonly)", commit).trim()).toBe(featureCommit);
    expect(commit).not.toBe(featureCommit);
  });

  test("rebase: the feature's commit itself, on the current base", async () => {
    const world = await prepared();
    const { commit, featureCommit } = await build(world, "rebase");
    expect(commit).toBe(featureCommit);
    world.user.write("other.txt", "moved\n");
    const now = world.user.commit();
    const moved = await build(world, "rebase", now);
    expect(moved.commit).toBe(moved.featureCommit);
    expect(world.user.git("log", "-1", "--format=%P|%an|%s", moved.commit)).toBe(`${now}|Grace  x|login: a form`);
    expect(world.user.git("show", `${moved.commit}:other.txt`)).toBe("moved");
  });

  test("is the same at the same time, touches no ref, index or file, and names the conflicts", async () => {
    const world = await prepared();
    world.user.write("dirty.txt", "mine\n");
    world.user.write("README.md", "# Theirs\n");
    world.user.git("add", "README.md");
    world.user.git("commit", "-qm", "conflict");
    const now = world.user.git("rev-parse", "HEAD");
    const state = () => [
      world.user.git("for-each-ref"),
      world.user.git("status", "--porcelain"),
      JSON.stringify(contents(world.user.root)),
      world.user.git("ls-files", "-s"),
    ];
    const before = state();
    expect(await build(world, "squash", now)).toMatchObject({ commit: "", tree: "", conflicts: ["README.md"] });
    expect(await build(world, "merge_commit")).toEqual(await build(world, "merge_commit"));
    expect(state()).toEqual(before);
  });

  test("attack 21: merge drivers and attributes in the trees decide nothing", async () => {
    const user = scratch({ ...FILES, ".gitattributes": "* merge=evil\n*.md merge=union\n" });
    const pwned = join(temporaryFolder(), "pwned");
    user.git("config", "merge.evil.driver", `touch ${pwned}; exit 0`);
    const world = await prepared(user);
    user.write("README.md", "# Theirs\n");
    user.write("src/index.ts", "// top\n");
    const now = user.commit();
    expect(await build(world, "merge_commit", now)).toMatchObject({ conflicts: ["README.md"] });
    expect(existsSync(pwned)).toBe(false);
  });

  test("B12: on a rewritten base the change stays the same, by the commit it was built on", async () => {
    const world = await prepared();
    const untouched = await build(world, "squash", world.base);
    world.user.git("checkout", "-q", "--orphan", "fresh");
    const other = world.user.commit("other history");
    const built = await build(world, "squash", other);
    expect(built).toMatchObject({ tree: untouched.tree, conflicts: [] });
    expect(world.user.git("rev-parse", `${built.commit}^`)).toBe(other);
  });

  test("an empty name does not stop a merge", async () => {
    const { repo, base, tree, user } = await prepared();
    const { commit } = await buildMerge(repo, {
      baseCommit: base,
      baseNow: base,
      tree,
      strategy: "squash",
      message: "\n",
      author: { name: "<>", email: "" },
      committer,
      at: AT,
    });
    expect(user.git("log", "-1", "--format=%an|%ae", commit)).toBe("unknown|unknown");
  });
});

describe("landMerge", () => {
  let world: Prepared;
  beforeEach(async () => {
    world = await prepared();
  });

  test.each<MergeStrategy>(["merge_commit", "squash", "rebase"])(
    "[FEA-089] %s lands: base, feature branch and the clean checkout move together, HEAD stays",
    async (strategy) => {
      const { user } = world;
      const { input, result } = await land(world, strategy);
      expect(result).toEqual({ landed: true, already: false, checkoutUpdated: true });
      expect(user.git("rev-parse", "main", "login").split("\n")).toEqual([input.commit, input.featureCommit]);
      expect(user.git("symbolic-ref", "HEAD")).toBe("refs/heads/main");
      expect(user.git("status", "--porcelain", "--ignored")).toBe("!! .worktrees/");
      expect(contents(user.root)).toEqual(treeContents(user.root, "main"));
      expect(user.exists("lib")).toBe(false);
      expect(user.git("diff-files")).toBe("");
      const parents = user.git("log", "-1", "--format=%P", "main").split(" ");
      expect(parents).toHaveLength(strategy === "merge_commit" ? 2 : 1);
      expect(user.git("reflog", "-1", "--format=%gs", "main")).toBe("slipway: merged into main");
      expect(readdirSync(join(user.root, ".git/slipway/intents"))).toEqual([]);
      expect(user.exists(".slipway/tmp")).toBe(false);
    },
  );

  test("a repeat after landing returns `already`, also on a base that has moved", async () => {
    const { input } = await land(world);
    expect(await landMerge(world.repo, input)).toEqual({ landed: true, already: true, checkoutUpdated: false });
    world.user.write("later.txt", "x");
    const later = world.user.commit();
    world.user.git("update-ref", "refs/heads/login", world.base);
    expect(await landMerge(world.repo, input)).toMatchObject({ already: true });
    expect(world.user.git("rev-parse", "main", "login").split("\n")).toEqual([later, input.featureCommit]);
  });

  test("dirty, staged, untracked and ignored files that the merge does not touch stay unchanged", async () => {
    const { user } = world;
    user.write("other.txt", "dirty\n");
    user.write("staged.txt", "staged\n");
    user.git("add", "staged.txt");
    user.write("staged.txt", "and changed again\n");
    user.write("untracked.txt", "u\n");
    user.write("debug.log", "ignored\n");
    user.git("rm", "-q", "--cached", "src/index.ts");
    const files = contents(user.root);
    const before = { diff: user.git("diff"), cached: user.git("diff", "--cached"), inode: statSync(join(user.root, "other.txt")).ino };
    await land(world);
    const after = contents(user.root);
    for (const path of ["other.txt", "staged.txt", "untracked.txt", "debug.log", "src/index.ts"]) expect(after[path]).toBe(files[path]);
    expect(after["README.md"]).toBe("- # Merged\n");
    expect({ diff: user.git("diff"), cached: user.git("diff", "--cached") }).toEqual({ diff: before.diff, cached: before.cached });
    expect(statSync(join(user.root, "other.txt")).ino).toBe(before.inode);
  });

  test("files that already have the merge's content are not in the way", async () => {
    const { user } = world;
    user.write("README.md", "# Merged\n");
    user.write("src/new.ts", "new\n");
    user.git("add", "src/new.ts");
    user.remove("src/add.ts");
    expect((await land(world)).result.checkoutUpdated).toBe(true);
    expect(user.git("status", "--porcelain", "--", "README.md", "src", "bin")).toBe("");
  });

  test("an unfinished merge in the checkout is not disturbed", async () => {
    writeFileSync(join(world.user.root, ".git/MERGE_HEAD"), `${world.base}\n`);
    await expect(land(world)).rejects.toMatchObject({ code: "checkout_in_the_way" });
    expect(world.user.git("rev-parse", "main")).toBe(world.base);
  });

  test("unmerged entries are in the way", async () => {
    const { user } = world;
    const oid = user.git("rev-parse", "HEAD:README.md");
    plainGit(
      user.root,
      ["update-index", "--index-info"],
      `0 ${"0".repeat(40)}\tREADME.md\n100644 ${oid} 1\tREADME.md\n100644 ${oid} 2\tREADME.md\n`,
    );
    await expect(land(world)).rejects.toMatchObject({ code: "checkout_in_the_way", details: { files: ["README.md"] } });
    plainGit(
      user.root,
      ["update-index", "--index-info"],
      `0 ${"0".repeat(40)}\tREADME.md\n100644 ${oid} 0\tREADME.md\n100644 ${oid} 1\tother.txt\n100644 ${oid} 2\tother.txt\n`,
    );
    await expect(land(world)).rejects.toMatchObject({ code: "checkout_in_the_way" });
    expect(user.git("rev-parse", "main")).toBe(world.base);
    expect(user.read("README.md").toString()).toBe(FILES["README.md"]);
  });

  test("a held index lock stops it, and everything is rolled back", async () => {
    const { user } = world;
    writeFileSync(join(user.root, ".git/index.lock"), "");
    const before = contents(user.root);
    await expect(land(world)).rejects.toMatchObject({
      code: "checkout_in_the_way",
      details: { files: [join(user.root, ".git/index.lock")] },
    });
    expect(contents(user.root)).toEqual(before);
    expect(user.git("rev-parse", "main")).toBe(world.base);
    expect(user.exists(".git/refs/heads/main.lock")).toBe(false);
    unlinkSync(join(user.root, ".git/index.lock"));
    expect((await land(world)).result.landed).toBe(true);
  });

  test("a base that is not checked out moves alone, and a linked checkout moves with it", async () => {
    const { user } = world;
    user.git("checkout", "-q", "-b", "elsewhere");
    user.write("README.md", "my own work\n");
    const before = contents(user.root);
    expect((await land(world)).result).toEqual({ landed: true, already: false, checkoutUpdated: false });
    expect(contents(user.root)).toEqual(before);
    expect(user.git("symbolic-ref", "HEAD")).toBe("refs/heads/elsewhere");

    const second = await prepared();
    const linked = at(join(temporaryFolder(), "linked"));
    second.user.git("checkout", "-q", "--detach");
    second.user.git("worktree", "add", "-q", linked.root, "main");
    expect((await land(second)).result.checkoutUpdated).toBe(true);
    expect(contents(linked.root)).toEqual(treeContents(second.user.root, "main"));
    expect(linked.git("status", "--porcelain")).toBe("");
    expect(second.user.git("status", "--porcelain", "-uno")).toBe("");
    rmSync(linked.root, { recursive: true });
    const third = second.user.git("rev-parse", "main");
    expect(third).toBe(second.user.git("rev-parse", "refs/heads/main"));
  });

  test("a deleted linked checkout is not in the way", async () => {
    const { user } = world;
    user.git("checkout", "-q", "--detach");
    const linked = join(temporaryFolder(), "linked");
    user.git("worktree", "add", "-q", linked, "main");
    rmSync(linked, { recursive: true });
    expect((await land(world)).result.checkoutUpdated).toBe(false);
  });

  test("if a second checkout is in the way, the first one is not touched", async () => {
    const { user } = world;
    const linked = at(join(temporaryFolder(), "linked"));
    user.git("worktree", "add", "-q", "--force", linked.root, "main");
    linked.write("README.md", "mine\n");
    const before = contents(user.root);
    await expect(land(world)).rejects.toMatchObject({ code: "checkout_in_the_way", details: { checkout: linked.root } });
    expect(contents(user.root)).toEqual(before);
    expect(user.git("status", "--porcelain", "-uno")).toBe("");
  });

  test("if a second checkout fails half-way, the first one is rolled back", async () => {
    const { user, repo } = world;
    const linked = at(join(temporaryFolder(), "linked"));
    user.git("worktree", "add", "-q", "--force", linked.root, "main");
    const { commit, featureCommit } = await build(world, "merge_commit");
    const before = { files: contents(user.root), index: user.git("ls-files", "-s") };
    const racing = {
      ...repo,
      git: { ...repo.git, start: (args: readonly string[]) => (linked.write("README.md", "typed just now\n"), repo.git.start(args)) },
    };
    const input = { baseBranch: "main", expected: world.base, commit, featureBranch: "login", featureCommit };
    await expect(landMerge(racing, input)).rejects.toMatchObject({ code: "checkout_in_the_way", details: { checkout: linked.root } });
    expect({ files: contents(user.root), index: user.git("ls-files", "-s") }).toEqual(before);
    expect(user.git("rev-parse", "main")).toBe(world.base);
  });

  test("[FEA-116] confirm runs with the refs locked and unmoved, and its refusal changes neither refs nor files", async () => {
    const world = await prepared();
    const { user, repo, base } = world;
    const { commit, featureCommit } = await build(world, "squash");
    const before = { files: contents(user.root), refs: user.git("for-each-ref") };
    const seen: string[] = [];
    const confirm = async () => {
      seen.push(user.git("rev-parse", "main"), String(user.exists(".git/refs/heads/main.lock")));
      throw new Error("a lock was lost");
    };
    const input = { baseBranch: "main", expected: base, commit, featureBranch: "login", featureCommit, confirm };
    await expect(landMerge(repo, input)).rejects.toThrow("a lock was lost");
    expect(seen).toEqual([base, "true"]);
    expect({ files: contents(user.root), refs: user.git("for-each-ref") }).toEqual(before);
    expect(await landMerge(repo, { ...input, confirm: async () => undefined })).toMatchObject({ landed: true, already: false });
  });

  test("a landing whose acknowledgement was lost counts as landed", async () => {
    const { user, repo } = world;
    const { commit, featureCommit } = await build(world, "merge_commit");
    const env = { PATH: process.env["PATH"] ?? "", GIT_DIR: repo.gitDir, GIT_COMMITTER_NAME: "x", GIT_COMMITTER_EMAIL: "x" };
    // Forwards everything but the last answer.
    const script = 'exec 3<&0; { git update-ref --stdin <&3 | sed -u -n "/^commit/q;p"; } & exec 1>&-; wait';
    const deaf = () => startProcess({ file: "/bin/sh", args: ["-c", script], cwd: user.root, env });
    const input = { baseBranch: "main", expected: world.base, commit, featureBranch: "login", featureCommit };
    expect(await landMerge({ ...repo, git: { ...repo.git, start: deaf } }, input)).toMatchObject({ landed: true });
    expect(contents(user.root)).toEqual(treeContents(user.root, "main"));
  });

  test("attack 39: git killed between preparation and commit moves no ref and no file, and a repeat lands", async () => {
    const { user, repo } = world;
    const { commit, featureCommit } = await build(world, "merge_commit");
    const input = { baseBranch: "main", expected: world.base, commit, featureBranch: "login", featureCommit };
    let child: Awaited<ReturnType<typeof repo.git.start>> | undefined;
    const mortal: Repository = {
      ...repo,
      git: { ...repo.git, start: async (args) => (child = await repo.git.start(args)) },
      // The first use between preparation and commit.
      get config() {
        if (child !== undefined) killGroup(child, "SIGKILL");
        return repo.config;
      },
    };
    const before = { files: contents(user.root), index: user.git("ls-files", "-s") };
    await expect(landMerge(mortal, input)).rejects.toMatchObject({
      code: "git_failed",
      message: "git update-ref failed: it was killed by SIGKILL",
    });
    expect({ files: contents(user.root), index: user.git("ls-files", "-s") }).toEqual(before);
    expect(user.git("rev-parse", "main")).toBe(world.base);
    expect(user.exists(".git/refs/heads/main.lock")).toBe(false);
    expect(await landMerge(repo, input)).toMatchObject({ already: false });
  });

  test.each(["read-tree -i", "update-index", "checkout-index"])(
    "attack 39: git killed in %s puts everything back, and a repeat lands",
    async (command) => {
      const { user, repo } = world;
      const { commit, featureCommit } = await build(world, "merge_commit");
      const input = { baseBranch: "main", expected: world.base, commit, featureBranch: "login", featureCommit };
      const marker = join(temporaryFolder(), "once");
      const file = join(temporaryFolder(), "git");
      // The real git, except that this command leaves a lock and dies after its work.
      const die = `"${repo.executable.file}" "$@"; : > "$GIT_DIR/index.lock"; kill -9 $$`;
      writeFileSync(
        file,
        `#!/bin/sh\ncase "$*" in *"${command}"*) if [ ! -e ${marker} ]; then : > ${marker}; ${die}; fi;; esac\nexec "${repo.executable.file}" "$@"\n`,
        { mode: 0o755 },
      );
      const before = { files: contents(user.root), index: user.git("ls-files", "-s") };
      await expect(landMerge({ ...repo, executable: { ...repo.executable, file } }, input)).rejects.toMatchObject({
        code: "git_failed",
        details: { killed: true },
      });
      expect({ files: contents(user.root), index: user.git("ls-files", "-s") }).toEqual(before);
      expect(user.git("rev-parse", "main")).toBe(world.base);
      expect(user.exists(".git/index.lock")).toBe(false);
      expect(await landMerge(repo, input)).toMatchObject({ already: false });
      expect(contents(user.root)).toEqual(treeContents(user.root, "main"));
    },
  );

  test("attack 25: a base that moved is never overwritten", async () => {
    const { user } = world;
    const { commit, featureCommit } = await build(world, "merge_commit");
    user.write("other.txt", "somebody was faster\n");
    const moved = user.commit();
    const input = { baseBranch: "main", expected: world.base, commit, featureBranch: "login", featureCommit };
    await expect(landMerge(world.repo, input)).rejects.toMatchObject({
      code: "base_moved",
      details: { expected: world.base, found: moved, retryable: true },
    });
    expect(user.git("rev-parse", "main")).toBe(moved);
    expect(user.git("status", "--porcelain", "-uno")).toBe("");
    await expect(landMerge(world.repo, { ...input, baseBranch: "gone" })).rejects.toMatchObject({
      code: "base_moved",
      details: { found: null },
    });
  });

  test("attack 25: the change is the same on a moved base exactly when no touched file moved", async () => {
    const { user, repo } = world;
    const { digest, entries } = await changeBetween(repo, world.base, world.tree);
    user.write("other.txt", "an untouched file moves\n");
    const apart = user.commit();
    const rebuilt = await build(world, "squash", apart);
    expect((await changeBetween(repo, apart, rebuilt.tree)).digest).toBe(digest);
    user.write("src/add.ts", "// a touched file moves\nexport function add(a: number, b: number): number {\n  return a + b;\n}\n");
    const touched = user.commit();
    expect((await build(world, "squash", touched)).conflicts).toEqual(["src/add.ts"]);
    user.git("reset", "-q", "--hard", apart);
    user.write("README.md", "# Demo\n\nA small project.\n\nWith an end.\n");
    const readme = user.commit();
    const merged = await build(world, "squash", readme);
    if (merged.conflicts.length === 0) expect((await changeBetween(repo, readme, merged.tree)).digest).not.toBe(digest);
    expect(digestOfEntries(entries.toReversed())).toBe(digest);
  });

  test("a commit that is not built on the base, and a feature branch with other commits, are refused", async () => {
    const { user, repo } = world;
    const { commit, featureCommit } = await build(world, "merge_commit");
    user.git("checkout", "-q", "--orphan", "fresh");
    const orphan = user.commit();
    user.git("checkout", "-q", "main");
    const input = { baseBranch: "main", expected: world.base, commit, featureBranch: "login", featureCommit };
    await expect(landMerge(repo, { ...input, commit: orphan })).rejects.toMatchObject({ code: "merge_failed" });
    at(join(user.root, ".worktrees/login")).commit("by hand");
    await expect(landMerge(repo, input)).rejects.toMatchObject({ code: "merge_failed", message: expect.stringContaining("login") });
    expect(user.git("rev-parse", "main")).toBe(world.base);
    user.git("worktree", "remove", "--force", join(user.root, ".worktrees/login"));
    user.git("branch", "-qD", "login");
    expect((await landMerge(repo, input)).landed).toBe(true);
    expect(user.git("rev-parse", "login")).toBe(featureCommit);
    expect((await landMerge(repo, { baseBranch: "main", expected: world.base, commit })).already).toBe(true);
  });

  test("attack 20, 21: no hook, filter or external program runs when the checkout moves, and line endings follow the user's settings", async () => {
    const pwned = join(temporaryFolder(), "pwned");
    const user = scratch({ ...FILES, "lib/deep/file": "x\n", ".gitattributes": "*.ts filter=evil\n*.md text eol=crlf\n" });
    for (const key of ["filter.evil.clean", "filter.evil.smudge", "core.fsmonitor", "diff.external", "core.sshCommand"])
      user.git("config", key, `touch ${pwned}; cat`);
    user.git("config", "filter.evil.required", "true");
    for (const hook of ["reference-transaction", "post-index-change", "post-checkout", "post-merge"])
      user.write(`.git/hooks/${hook}`, `#!/bin/sh\ntouch ${pwned}\n`, 0o755);
    // As the user's own git checks it out; touched, so that its content must be compared.
    user.write("README.md", (FILES["README.md"] ?? "").replaceAll("\n", "\r\n"));
    rmSync(pwned, { force: true });
    const hostile = await prepared(user);
    await land(hostile);
    expect(existsSync(pwned)).toBe(false);
    expect(user.read("README.md").toString()).toBe("# Merged\r\n");
    expect(user.read("src/new.ts").toString()).toBe("new\n");
  });

  test("the user's own line-ending configuration applies, too", async () => {
    const home = temporaryFolder();
    writeFileSync(join(home, ".gitconfig"), "[core]\n\tautocrlf = true\n");
    const { user } = world;
    const repo = { ...world.repo, home };
    user.write("README.md", (FILES["README.md"] ?? "").replaceAll("\n", "\r\n"));
    await land({ ...world, repo });
    expect(user.read("src/new.ts").toString()).toBe("new\r\n");
  });

  test("a sparse checkout stays sparse", async () => {
    const { user } = world;
    user.git("update-index", "-q", "--refresh");
    user.git("sparse-checkout", "set", "--no-cone", "/README.md", "/other.txt");
    expect(user.exists("src")).toBe(false);
    await land({ ...world, repo: await user.open() });
    expect(user.read("README.md").toString()).toBe("# Merged\n");
    expect(user.exists("src/add.ts")).toBe(false);
    expect(user.git("status", "--porcelain", "-uno")).toBe("");
  });

  test("without file modes and links the checkout is compared by content", async () => {
    const user = scratch({ ...FILES, "lib/deep/file": "x\n" });
    user.git("config", "core.fileMode", "false");
    user.git("config", "core.symlinks", "false");
    chmodSync(join(user.root, "README.md"), 0o755);
    const plain = await prepared(user);
    expect((await land(plain)).result.checkoutUpdated).toBe(true);
  });

  test("names that git would quote, links and type changes land", async () => {
    const user = scratch({ 'qu"ote.txt': "old\n", "line\nbreak.txt": "old\n", becomes: "a file\n", plain: "x\n" });
    const repo = await user.open();
    const { path, baseCommit: base } = await ensureWorktree(repo, {
      featureId: "login",
      branch: "login",
      baseRef: "main",
      path: join(user.root, ".worktrees/login"),
    });
    const worktree = at(path);
    worktree.write('qu"ote.txt', "new\n");
    worktree.write("line\nbreak.txt", "new\n");
    worktree.remove("becomes");
    worktree.link("becomes", "plain");
    worktree.remove("plain");
    worktree.write("plain/inside", "x\n");
    const odd = { user, repo, base, tree: await snapshotTree(repo, path) };
    user.write('qu"ote.txt', "mine\n");
    await expect(land(odd)).rejects.toMatchObject({ code: "checkout_in_the_way" });
    user.write('qu"ote.txt', "old\n");
    await land(odd);
    expect(contents(user.root)).toEqual(treeContents(user.root, "main"));
  });

  test("a submodule that the merge moves keeps its folder unchanged", async () => {
    const user = scratch({ ...FILES, "lib/deep/file": "x\n" });
    const commit = user.git("rev-parse", "HEAD");
    user.git(
      "update-index",
      "--add",
      "--cacheinfo",
      `160000,${commit},sub`,
      "--cacheinfo",
      `160000,${commit},gone`,
      "--cacheinfo",
      `160000,${commit},missing`,
    );
    user.git("commit", "-qm", "submodules");
    user.write("sub/inside.txt", "mine\n");
    mkdirSync(join(user.root, "gone"));
    const sub = await prepared(user);
    const next = plainGit(user.root, ["ls-tree", "-r", sub.tree])
      .split("\n")
      .filter((line) => !line.endsWith("\tgone") && !line.endsWith("\tmissing"))
      .map((line) => line.replace(new RegExp(`commit ${commit}\tsub$`), `commit ${"2".repeat(40)}\tsub`));
    const index = join(temporaryFolder(), "index");
    const tree = (await sub.repo.vault({ indexFile: index }))
      .run(["update-index", "--index-info"], { input: `${next.join("\n")}160000 ${"3".repeat(40)} 0\tadded\n` })
      .then(async () => (await (await sub.repo.vault({ indexFile: index })).text(["write-tree"])).trim());
    await land({ ...sub, tree: await tree });
    expect(user.git("ls-files", "-s", "sub", "gone", "added")).toBe(`160000 ${"3".repeat(40)} 0\tadded\n160000 ${"2".repeat(40)} 0\tsub`);
    expect(user.read("sub/inside.txt").toString()).toBe("mine\n");
  });

  test("a file changed between the check and the move is noticed, and everything is rolled back", async () => {
    const { user, repo } = world;
    const expected = world.base;
    const { commit, featureCommit } = await build(world, "merge_commit");
    let calls = 0;
    const racing: Repository = {
      ...repo,
      git: {
        ...repo.git,
        start: (args) => {
          if (calls++ === 0) user.write("README.md", "typed just now\n");
          return repo.git.start(args);
        },
      },
    };
    await expect(landMerge(racing, { baseBranch: "main", expected, commit, featureBranch: "login", featureCommit })).rejects.toMatchObject({
      code: "checkout_in_the_way",
      details: { files: ["README.md"] },
    });
    expect(user.read("README.md").toString()).toBe("typed just now\n");
    expect(user.git("rev-parse", "main")).toBe(expected);
    expect(user.exists("src/new.ts")).toBe(false);
  });

  test("a base that moves between the check and the lock is base_moved, with nothing changed", async () => {
    const { user, repo } = world;
    const { commit, featureCommit } = await build(world, "merge_commit");
    let moved = "";
    const racing: Repository = {
      ...repo,
      git: {
        ...repo.git,
        start: (args) => {
          moved = user.git("commit-tree", "-p", world.base, "-m", "racer", `${world.base}^{tree}`);
          user.git("update-ref", "refs/heads/main", moved);
          return repo.git.start(args);
        },
      },
    };
    await expect(
      landMerge(racing, { baseBranch: "main", expected: world.base, commit, featureBranch: "login", featureCommit }),
    ).rejects.toMatchObject({ code: "base_moved" });
    expect(user.git("rev-parse", "main")).toBe(moved);
    expect(contents(user.root)).toEqual(treeContents(user.root, world.base));
  });

  test("a held ref lock is an error, with nothing changed", async () => {
    const { user } = world;
    writeFileSync(join(user.root, ".git/refs/heads/main.lock"), "");
    await expect(land(world)).rejects.toMatchObject({ code: "git_failed" });
    expect(contents(user.root)).toEqual(treeContents(user.root, world.base));
  });

  test("an unwritable folder rolls everything back", async () => {
    const { user } = world;
    mkdirSync(join(user.root, "bin"));
    const before = contents(user.root);
    symlinkSync("/nowhere", join(user.root, "bin/run"));
    await expect(land(world)).rejects.toMatchObject({ code: "checkout_in_the_way", details: { files: ["bin/run"] } });
    rmSync(join(user.root, "bin/run"));
    expect(contents(user.root)).toEqual(before);
  });
});

describe("landMerge with something in the way", () => {
  const obstacles: Record<string, [string[], (user: Scratch) => void]> = {
    "a local change to a touched file": [["README.md"], (user) => user.write("README.md", "mine\n")],
    "a staged change to a touched file": [
      ["README.md"],
      (user) => {
        user.write("README.md", "staged\n");
        user.git("add", "README.md");
        user.write("README.md", FILES["README.md"] ?? "");
      },
    ],
    "an untracked file in the way": [["src/new.ts"], (user) => user.write("src/new.ts", "mine\n")],
    "an ignored file in the way": [
      ["src/new.ts"],
      (user) => {
        writeFileSync(join(user.root, ".git/info/exclude"), "new.ts\n");
        user.write("src/new.ts", "mine\n");
      },
    ],
    "a file where a folder is needed": [["bin"], (user) => user.write("bin", "mine\n")],
    "a link where a folder is needed": [["bin"], (user) => user.link("bin", "/tmp")],
    "a folder where a file is needed": [["src/new.ts/mine"], (user) => user.write("src/new.ts/mine", "x")],
    "a local change to a deleted file": [["src/add.ts"], (user) => user.write("src/add.ts", "mine\n")],
    "a locally deleted touched file": [["README.md"], (user) => user.remove("README.md")],
    "a changed mode": [["README.md"], (user) => chmodSync(join(user.root, "README.md"), 0o755)],
    "a link in place of a touched file": [
      ["README.md"],
      (user) => {
        user.remove("README.md");
        user.link("README.md", "other.txt");
      },
    ],
    "a folder in place of a touched file": [
      ["README.md", "README.md/x"],
      (user) => {
        user.remove("README.md");
        user.write("README.md/x", "x");
      },
    ],
    "a pipe in place of a touched file": [
      ["README.md"],
      (user) => {
        user.remove("README.md");
        execFileSync("mkfifo", [join(user.root, "README.md")]);
      },
    ],
    "a removal from the index": [["README.md"], (user) => user.git("rm", "-q", "--cached", "README.md")],
  };
  let world: Prepared;
  beforeAll(async () => {
    world = await prepared();
  });
  test.each(Object.entries(obstacles))(
    "[FEA-089] %s: checkout_in_the_way names it, and no ref and no file moves",
    async (_name, [files, spoil]) => {
      const { user } = world;
      user.git("reset", "-q", "--hard");
      user.git("clean", "-qfdx", "-e", ".worktrees");
      rmSync(join(user.root, ".git/info/exclude"));
      await excludeLocally(world.repo, [".slipway/", ".worktrees/"]);
      spoil(user);
      const state = () => [
        user.git("for-each-ref"),
        user.git("status", "--porcelain"),
        JSON.stringify(contents(user.root)),
        user.git("ls-files", "-s"),
      ];
      const before = state();
      await expect(land(world)).rejects.toMatchObject({ code: "checkout_in_the_way", details: { files, checkout: user.root } });
      expect(state()).toEqual(before);
      expect(readdirSync(join(user.root, ".git"))).not.toContain("index.lock");
    },
  );
});

describe("diffText and porcelain", () => {
  test("show the change in three formats, without diff drivers", async () => {
    const pwned = join(temporaryFolder(), "pwned");
    const user = scratch({ ...FILES, "lib/x": "1\n", ".gitattributes": "* diff=evil\n" });
    user.git("config", "diff.evil.command", `touch ${pwned}`);
    user.git("config", "diff.evil.textconv", `touch ${pwned}; cat`);
    const { repo, base, tree } = await prepared(user);
    expect(await diffText(repo, base, tree)).toContain("+# Merged");
    expect(await diffText(repo, base, tree, { stat: true })).toContain("5 files changed");
    expect((await diffText(repo, base, tree, { nameOnly: true })).split("\n")).toEqual([
      "README.md",
      "bin/run",
      "lib/x",
      "src/add.ts",
      "src/new.ts",
      "",
    ]);
    expect(await diffText(repo, "main", "login", { binary: true })).toBe("");
    expect(porcelain((await changeBetween(repo, base, tree)).entries)).toBe(
      " M README.md\n?? bin/run\n D lib/x\n D src/add.ts\n?? src/new.ts\n",
    );
    expect(porcelain([{ path: "sp ace", status: "A", oldMode: "", newMode: "", oldOid: "", newOid: "" }])).toBe('?? "sp ace"\n');
    expect(existsSync(pwned)).toBe(false);
    await expect(diffText(repo, "--output=/tmp/x", tree)).rejects.toMatchObject({ code: "git_failed" });
    expect(readFileSync(join(user.root, "README.md"), "utf8")).toBe(FILES["README.md"]);
  });
});
