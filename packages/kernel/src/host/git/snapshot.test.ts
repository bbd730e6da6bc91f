import { execFileSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { anchor, anchorRef } from "./anchor.ts";
import { changeBetween } from "./change.ts";
import { restoreTree, snapshotTree, takeSnapshot } from "./snapshot.ts";
import { AT, at, contents, FILES, scratch, treeContents, type Scratch } from "./testing/scratch.ts";
import { ensureWorktree } from "./worktree.ts";

async function withFeature(user: Scratch = scratch()) {
  const repo = await user.open();
  const { path } = await ensureWorktree(repo, {
    featureId: "login",
    branch: "login",
    baseRef: "main",
    path: join(user.root, ".worktrees/login"),
  });
  return { user, repo, path, worktree: at(path), base: user.git("rev-parse", "main") };
}

describe("snapshotTree", () => {
  test("contains tracked, changed and untracked files as on disk, without deleted and ignored ones", async () => {
    const { user, repo, path, worktree } = await withFeature();
    worktree.write("src/add.ts", "changed\r\n");
    worktree.write("binary", Buffer.from([0, 255, 13, 10, 0]));
    worktree.write("bin/run", "#!/bin/sh\n", 0o755);
    worktree.link("broken", "nowhere/at/all");
    worktree.link("folder", "src");
    worktree.write("näme with spaces\nand a line.txt", "x");
    worktree.write("dist/out.js", "ignored");
    worktree.write("debug.log", "ignored");
    worktree.remove("README.md");
    const tree = await snapshotTree(repo, path);
    const { "dist/out.js": _dist, "debug.log": _log, ...kept } = contents(path);
    expect(treeContents(user.root, tree)).toEqual(kept);
    expect(await snapshotTree(repo, path)).toBe(tree);
  });

  test("never uses the worktree's own index or the user's", async () => {
    const { user, repo, path, worktree } = await withFeature();
    worktree.write("staged.txt", "one\n");
    worktree.git("add", "staged.txt");
    worktree.write("staged.txt", "two\n");
    const before = [worktree.git("diff", "--cached"), readFileSync(join(repo.commonDir, "index")).toString("hex")];
    const indexFile = join(user.root, ".slipway/features/login/harness.index");
    const tree = await snapshotTree(repo, path, { indexFile });
    expect(user.git("show", `${tree}:staged.txt`)).toBe("two");
    expect([worktree.git("diff", "--cached"), readFileSync(join(repo.commonDir, "index")).toString("hex")]).toEqual(before);
    expect(existsSync(indexFile)).toBe(true);
  });

  test("attack 17: CRLF and every other byte stay, whatever .gitattributes and autocrlf say", async () => {
    const user = scratch({ ...FILES, ".gitattributes": "* text=auto eol=lf\n*.utf16 working-tree-encoding=UTF-16\n*.id ident\n" });
    user.git("config", "core.autocrlf", "true");
    const { repo, path, worktree } = await withFeature(user);
    worktree.write("crlf.txt", "a\r\nb\r\n");
    worktree.write("mixed.txt", "a\r\nb\nc\r");
    worktree.write("x.utf16", Buffer.from("ab", "utf16le"));
    worktree.write("x.id", "$Id: something$\n");
    const tree = await snapshotTree(repo, path);
    expect(treeContents(user.root, tree)).toEqual(contents(path));
  });

  test("attack 23: embedded repositories, bare or not, become files without their git folder", async () => {
    const { user, repo, path, worktree } = await withFeature();
    worktree.write("vendor/lib/code.ts", "mine\n");
    worktree.write("vendor/lib/dist/x.js", "ignored by the outer rules\n");
    worktree.write("vendor/lib/:(top)odd*", "odd\n");
    at(join(path, "vendor/lib")).git("init", "-q");
    at(join(path, "vendor/lib")).commit();
    worktree.write("fresh/code.ts", "no commit\n");
    at(join(path, "fresh")).git("init", "-q");
    mkdirSync(join(path, "bare"));
    at(join(path, "bare")).git("init", "-q", "--bare");
    writeFileSync(join(path, "bare/config"), `[core]\n\tbare = true\n\tfsmonitor = "touch ${user.root}/PWNED"\n`);
    const { tree, leftOut } = await takeSnapshot(repo, path);
    const found = treeContents(user.root, tree);
    expect(found).toMatchObject({
      "vendor/lib/code.ts": "- mine\n",
      "vendor/lib/:(top)odd*": "- odd\n",
      "fresh/code.ts": "- no commit\n",
      "bare/HEAD": "- ref: refs/heads/master\n",
    });
    expect(Object.keys(found)).not.toContain("vendor/lib/dist/x.js");
    expect(user.git("ls-tree", "-r", tree)).not.toContain("160000");
    expect(leftOut.toSorted()).toEqual(["fresh/.git", "vendor/lib/.git"]);
    expect(user.exists("PWNED")).toBe(false);
    // Once its files are in the index, changes in the embedded repository are seen.
    worktree.write("vendor/lib/code.ts", "changed\n");
    expect(treeContents(user.root, await snapshotTree(repo, path))).toMatchObject({ "vendor/lib/code.ts": "- changed\n" });
  });

  test("a submodule stays one while its folder is empty or missing; otherwise its files count", async () => {
    const user = scratch();
    const commit = user.git("rev-parse", "HEAD");
    user.git("update-index", "--add", "--cacheinfo", `160000,${commit},libs/sub`);
    user.git("commit", "-qm", "submodule");
    const { repo, path, worktree, base } = await withFeature(user);
    expect(await snapshotTree(repo, path)).toBe(user.git("rev-parse", `${base}^{tree}`));
    worktree.remove("libs");
    expect(await snapshotTree(repo, path)).toBe(user.git("rev-parse", `${base}^{tree}`));
    worktree.write("libs/sub/hidden.txt", "bytes\n");
    at(join(path, "libs/sub")).git("init", "-q");
    writeFileSync(join(path, "libs/sub/.git/config"), `[core]\n\tfsmonitor = "touch ${user.root}/PWNED"\n`);
    expect(treeContents(user.root, await snapshotTree(repo, path))).toMatchObject({ "libs/sub/hidden.txt": "- bytes\n" });
    expect(user.exists("PWNED")).toBe(false);
    await restoreTree(repo, path, base);
    expect(await snapshotTree(repo, path, { indexFile: join(user.root, ".slipway/other.index") })).not.toBe("");
  });

  test("a file in place of a submodule", async () => {
    const user = scratch();
    user.git("update-index", "--add", "--cacheinfo", `160000,${user.git("rev-parse", "HEAD")},sub`);
    user.git("commit", "-qm", "submodule");
    const { repo, path, worktree } = await withFeature(user);
    worktree.remove("sub");
    worktree.write("sub", "a file\n");
    expect(treeContents(user.root, await snapshotTree(repo, path))).toMatchObject({ sub: "- a file\n" });
  });

  test("files, folders and links that replace each other", async () => {
    const user = scratch({ "a/one": "1\n", "a/two": "2\n", b: "file\n", "c/x": "x\n", "c/y": "y\n", link: "file\n" });
    const { repo, path, worktree } = await withFeature(user);
    for (const gone of ["a", "b", "link", "c"]) worktree.remove(gone);
    worktree.write("a", "now a file\n");
    worktree.write("b/deep/er", "now a folder\n");
    worktree.link("link", "b");
    worktree.write("elsewhere/x", "x\n");
    worktree.write("elsewhere/y", "y\n");
    worktree.link("c", "elsewhere");
    expect(treeContents(user.root, await snapshotTree(repo, path))).toEqual(contents(path));
  });

  test("a change that keeps size and mtime is still seen", async () => {
    const { user, repo, path, worktree } = await withFeature();
    worktree.write("same.txt", "aaaa");
    await snapshotTree(repo, path);
    const { atime, mtime } = statSync(join(path, "same.txt"));
    worktree.write("same.txt", "bbbb");
    utimesSync(join(path, "same.txt"), atime, mtime);
    expect(user.git("show", `${await snapshotTree(repo, path)}:same.txt`)).toBe("bbbb");
  });

  test("pipes are ignored, and names that a tree cannot contain are reported", async () => {
    const { user, repo, path, worktree } = await withFeature();
    worktree.remove("README.md");
    execFileSync("mkfifo", [join(path, "README.md"), join(path, "pipe")]);
    worktree.write("sub/GIT~1", "x");
    worktree.write(".git /x", "x");
    worktree.link(".gitmodules", "/etc/passwd");
    const { tree, leftOut } = await takeSnapshot(repo, path);
    expect(Object.keys(treeContents(user.root, tree)).toSorted()).toEqual([".gitignore", "src/add.ts", "src/index.ts"]);
    expect(leftOut.toSorted()).toEqual([".git /x", ".gitmodules", "sub/GIT~1"]);
  });

  test("a name that is not UTF-8 is kept, byte for byte", async () => {
    const { user, repo, path, base } = await withFeature();
    writeFileSync(Buffer.concat([Buffer.from(`${path}/caf`), Buffer.from([0xe9])]), "latin1\n");
    const tree = await snapshotTree(repo, path);
    expect(user.git("ls-tree", "--name-only", tree)).toContain('"caf\\351"');
    rmSync(Buffer.concat([Buffer.from(`${path}/caf`), Buffer.from([0xe9])]));
    await restoreTree(repo, path, tree);
    expect(readdirSync(Buffer.from(path), { encoding: "buffer" }).some((name) => name.includes(0xe9))).toBe(true);
    expect((await changeBetween(repo, base, tree)).entries[0]?.path.isWellFormed()).toBe(false);
  });

  test("a torn or missing private index is rebuilt", async () => {
    const { repo, path, worktree } = await withFeature();
    worktree.write("new.txt", "x");
    const tree = await snapshotTree(repo, path);
    const index = join(repo.commonDir, "slipway/worktrees", readdirSync(join(repo.commonDir, "slipway/worktrees"))[0] ?? "", "index");
    truncateSync(index, 20);
    expect(await snapshotTree(repo, path)).toBe(tree);
    writeFileSync(index, "x".repeat(200));
    expect(await snapshotTree(repo, path)).toBe(tree);
    rmSync(index);
    expect(await snapshotTree(repo, path)).toBe(tree);
    rmSync(join(index, "../record.json"));
    rmSync(index);
    expect(await snapshotTree(repo, path)).toBe(tree);
  });

  test("attack 39: a stale lock on the private index is cleared", async () => {
    const { user, repo, path, worktree } = await withFeature();
    const indexFile = join(user.root, ".slipway/features/login/harness.index");
    await snapshotTree(repo, path, { indexFile });
    worktree.write("new.txt", "x");
    writeFileSync(`${indexFile}.lock`, "");
    expect(user.git("show", `${await snapshotTree(repo, path, { indexFile })}:new.txt`)).toBe("x");
  });

  test("an unreadable repository is an error, not a guess", async () => {
    const { repo, path, worktree } = await withFeature();
    worktree.write("new.txt", "x");
    chmodSync(join(repo.commonDir, "slipway/vault/config"), 0o644);
    writeFileSync(join(repo.commonDir, "slipway/vault/HEAD"), "nonsense");
    await expect(snapshotTree(repo, path)).rejects.toMatchObject({ code: "git_failed" });
  });
});

describe("anchor", () => {
  const input = { run: "2026-01-02_login", step: "feature:login/build #1", message: "login: build", at: AT };

  test("makes every byte reachable at refs/slipway/<run>/<step>", async () => {
    const { user, repo, path, worktree, base } = await withFeature();
    worktree.write("new.txt", "work\n");
    const made = await anchor(repo, path, input);
    expect(made).toMatchObject({ ref: anchorRef(input.run, input.step), tree: await snapshotTree(repo, path), leftOut: [] });
    expect(user.git("rev-parse", made.ref)).toBe(made.commit);
    expect(user.git("log", "-1", "--format=%s|%P|%at|%an", made.ref)).toBe(`login: build|${base}|${AT / 1000}|Slipway`);
    expect(user.git("fsck", "--no-progress", "--no-dangling")).toBe("");
    expect(user.git("branch", "-a")).not.toContain("slipway");
  });

  test("is the same commit when repeated, and keeps the earlier bytes if they changed", async () => {
    const { user, repo, path, worktree } = await withFeature();
    worktree.write("new.txt", "one\n");
    const first = await anchor(repo, path, input);
    expect(await anchor(repo, path, { ...input, at: AT + 5_000 })).toEqual(first);
    worktree.write("new.txt", "two\n");
    const second = await anchor(repo, path, input);
    expect(user.git("rev-parse", `${second.ref}^`)).toBe(first.commit);
    expect(user.git("show", `${second.ref}:new.txt`)).toBe("two");
  });

  test("a lock left by a kill is cleared; one that is held is respected", async () => {
    const { user, repo, path } = await withFeature();
    const lock = join(repo.commonDir, `${anchorRef(input.run, input.step)}.lock`);
    mkdirSync(join(lock, ".."), { recursive: true });
    writeFileSync(lock, "");
    const { commit } = await anchor(repo, path, input);
    expect(user.git("rev-parse", anchorRef(input.run, input.step))).toBe(commit);
    expect(existsSync(lock)).toBe(false);
  });

  test("works without a record of the worktree", async () => {
    const { user, repo, path } = await withFeature();
    rmSync(join(repo.commonDir, "slipway/worktrees"), { recursive: true });
    const { commit } = await anchor(repo, path, { ...input, message: "ends with a line\n" });
    expect(user.git("log", "-1", "--format=[%P]", commit)).toBe("[]");
  });

  test("any run and step give a valid ref, and different ones give different refs", async () => {
    const { user, repo, path } = await withFeature();
    const names = ["", ".", "..", "a.lock", "a/b", "a:b", "-x", "@{0}", "ä", "\n", "*", "x".repeat(300), `${"x".repeat(300)}y`];
    const refs = new Set<string>();
    for (const step of names) refs.add((await anchor(repo, path, { ...input, step })).ref);
    expect(refs.size).toBe(names.length);
    for (const ref of refs) user.git("check-ref-format", ref);
  });
});

describe("restoreTree", () => {
  test("makes the files exactly the tree's, keeps ignored ones, and the next snapshot agrees", async () => {
    const { user, repo, path, worktree, base } = await withFeature();
    worktree.write("dist/keep.js", "ignored\n");
    worktree.write("src/add.ts", "changed\n");
    worktree.write("deep/new/file", "x", 0o755);
    worktree.link("link", "src");
    worktree.remove("README.md");
    const tree = await snapshotTree(repo, path);
    const there = contents(path);
    await restoreTree(repo, path, base);
    expect(contents(path)).toEqual({ ...treeContents(user.root, base), "dist/keep.js": "- ignored\n" });
    expect(existsSync(join(path, "deep"))).toBe(false);
    expect(await snapshotTree(repo, path)).toBe(user.git("rev-parse", `${base}^{tree}`));
    await restoreTree(repo, path, tree);
    expect(contents(path)).toEqual(there);
    expect(await snapshotTree(repo, path)).toBe(tree);
  });

  test("never writes through a link that replaced a folder", async () => {
    const { user, repo, path, worktree, base } = await withFeature();
    const outside = join(user.root, "outside");
    mkdirSync(outside);
    copyFileSync(join(path, "src/add.ts"), join(outside, "add.ts"));
    worktree.remove("src");
    symlinkSync(outside, join(path, "src"));
    await restoreTree(repo, path, base);
    expect(statSync(join(path, "src")).isDirectory()).toBe(true);
    expect(readdirSync(outside)).toEqual(["add.ts"]);
    expect(contents(path)).toEqual(treeContents(user.root, base));
  });

  test("ignored files in a folder that must become a file stop it before anything is written", async () => {
    const user = scratch({ tool: "a file\n", ".gitignore": "cache/\n" });
    const { repo, path, worktree, base } = await withFeature(user);
    worktree.remove("tool");
    worktree.write("tool/cache/big", "ignored\n");
    worktree.write("other.txt", "x");
    const before = contents(path);
    await expect(restoreTree(repo, path, base)).rejects.toMatchObject({ code: "worktree_changed", details: { paths: ["tool/cache/big"] } });
    expect(contents(path)).toEqual(before);
  });

  test("a tree whose content is missing changes nothing", async () => {
    const { user, repo, path } = await withFeature();
    const before = contents(path);
    const oid = "1".repeat(40);
    const tree = execFileSync("git", ["mktree", "--missing"], {
      cwd: user.root,
      input: `100644 blob ${oid}\tlost.txt\n`,
      encoding: "utf8",
    }).trim();
    await expect(restoreTree(repo, path, tree)).rejects.toMatchObject({ code: "object_missing" });
    expect(contents(path)).toEqual(before);
  });
});

test("a repository with SHA-256 objects works the same", async () => {
  const user = scratch(FILES, ["--object-format=sha256"]);
  const { repo, path, worktree, base } = await withFeature(user);
  worktree.write("new.txt", "x\n");
  worktree.remove("README.md");
  const { commit, tree } = await anchor(repo, path, { run: "r", step: "s", message: "m", at: AT });
  expect(commit).toHaveLength(64);
  await restoreTree(repo, path, base);
  await restoreTree(repo, path, tree);
  expect(contents(path)).toEqual(treeContents(user.root, tree));
});
