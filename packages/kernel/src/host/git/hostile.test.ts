import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { anchor } from "./anchor.ts";
import { changeBetween, diffText } from "./change.ts";
import { buildMerge, landMerge } from "./merge.ts";
import { applyTree } from "./apply-tree.ts";
import { judgePatch } from "./patch.ts";
import { reconcile } from "./reconcile.ts";
import { describeRepository, openRepository } from "./repository.ts";
import { restoreTree, snapshotTree } from "./snapshot.ts";
import { AT, at, FILES, scratch, temporaryFolder, type Scratch } from "./testing/scratch.ts";
import { removeWorktree } from "./remove-worktree.ts";
import { ensureWorktree } from "./worktree.ts";

const PATCH =
  "diff --git a/src/add.ts b/src/add.ts\n--- a/src/add.ts\n+++ b/src/add.ts\n@@ -1,3 +1,3 @@\n export function add(a: number, b: number): number {\n-  return a + b;\n+  return b + a;\n }\n";
const HOOKS = [
  "pre-commit",
  "post-commit",
  "post-checkout",
  "post-merge",
  "pre-push",
  "reference-transaction",
  "post-index-change",
  "pre-applypatch",
  "post-applypatch",
  "fsmonitor-watchman",
  "pre-auto-gc",
  "post-rewrite",
  "prepare-commit-msg",
  "commit-msg",
];

/** Calls every operation of this room once. */
async function everything(user: Scratch): Promise<void> {
  const repo = await openRepository(user.root);
  await describeRepository(repo);
  const { path, baseCommit } = await ensureWorktree(repo, {
    featureId: "login",
    branch: "login",
    baseRef: "main",
    path: join(user.root, ".worktrees/login"),
  });
  const from = await snapshotTree(repo, path);
  const judged = await judgePatch(repo, { baseTree: from, patch: Buffer.from(PATCH) });
  await applyTree(repo, path, from, judged.tree);
  const { tree } = await anchor(repo, path, { run: "r", step: "s", message: "m", at: AT });
  await restoreTree(repo, path, baseCommit);
  await restoreTree(repo, path, tree);
  await changeBetween(repo, baseCommit, tree);
  await diffText(repo, baseCommit, tree);
  await repo.git.text(["log", "-p", "-1"]);
  await repo.git.text(["show", "HEAD"]);
  await repo.git.text(["diff", baseCommit, tree]);
  const identity = { name: "Slipway", email: "slipway@localhost" };
  const built = await buildMerge(repo, {
    baseCommit,
    baseNow: user.git("rev-parse", "main"),
    tree,
    strategy: "merge_commit",
    message: "m",
    author: identity,
    committer: identity,
    at: AT,
  });
  await landMerge(repo, {
    baseBranch: "main",
    expected: user.git("rev-parse", "main"),
    commit: built.commit,
    featureBranch: "login",
    featureCommit: built.featureCommit,
  });
  await reconcile(repo);
  await removeWorktree(repo, { path, deleteBranch: true });
}

test("attack 20: planted hooks do not run, wherever the configuration puts them", async () => {
  const user = scratch();
  const pwned = join(temporaryFolder(), "pwned");
  for (const folder of [".git/hooks", "other-hooks"])
    for (const hook of HOOKS) user.write(`${folder}/${hook}`, `#!/bin/sh\ntouch ${pwned}\n`, 0o755);
  user.git("config", "core.hooksPath", join(user.root, "other-hooks"));
  await everything(user);
  expect(existsSync(pwned)).toBe(false);
});

test("attack 21: filters, external diff, textconv, merge drivers, fsmonitor, signing and helpers of the repository do not run", async () => {
  const user = scratch({ ...FILES, ".gitattributes": "* filter=evil diff=evil merge=evil text\n" });
  const pwned = join(temporaryFolder(), "pwned");
  const evil = `touch ${pwned}; cat`;
  const keys = [
    "filter.evil.clean",
    "filter.evil.smudge",
    "filter.evil.process",
    "diff.evil.command",
    "diff.evil.textconv",
    "diff.external",
    "merge.evil.driver",
    "core.fsmonitor",
    "core.sshCommand",
    "core.pager",
    "core.editor",
    "core.askPass",
    "gpg.program",
    "credential.helper",
    "core.alternateRefsCommand",
    "core.gitProxy",
    "trailer.x.command",
    "alias.log",
    "alias.update-ref",
  ];
  for (const key of keys) user.git("config", key, evil);
  user.git("config", "filter.evil.required", "true");
  user.git("config", "commit.gpgSign", "true");
  user.git("config", "include.path", join(user.root, "more.config"));
  user.write("more.config", `[filter "evil"]\n\tsmudge = "${evil}"\n`);
  user.write("src/index.ts", "dirty, so that a clean filter would have to run\n");
  rmSync(pwned, { force: true });
  await everything(user);
  expect(existsSync(pwned)).toBe(false);
});

test("attack 19: a replaced .git in a worktree, with its own configuration, is not consulted", async () => {
  const user = scratch();
  const repo = await user.open();
  const pwned = join(temporaryFolder(), "pwned");
  const { path } = await ensureWorktree(repo, {
    featureId: "login",
    branch: "login",
    baseRef: "main",
    path: join(user.root, ".worktrees/login"),
  });
  rmSync(join(path, ".git"));
  at(path).git("init", "-q");
  writeFileSync(
    join(path, ".git/config"),
    `[core]\n\tfsmonitor = "touch ${pwned}"\n\tsshCommand = "touch ${pwned}"\n\tworktree = /tmp\n[filter "evil"]\n\tclean = "touch ${pwned}"\n`,
  );
  writeFileSync(join(path, ".gitattributes"), "* filter=evil\n");
  const uses: (() => Promise<unknown>)[] = [
    () => snapshotTree(repo, path),
    () => anchor(repo, path, { run: "r", step: "s", message: "m", at: AT }),
    () => restoreTree(repo, path, "HEAD"),
    () => removeWorktree(repo, { path }),
  ];
  for (const use of uses) await expect(use()).rejects.toMatchObject({ code: "worktree_swapped" });
  expect(existsSync(pwned)).toBe(false);
  expect(readdirSync(join(path, ".git"))).toContain("config");
});

test("attack 19: a .git that appears while we work is not consulted either", async () => {
  const user = scratch();
  const pwned = join(temporaryFolder(), "pwned");
  const repo = await user.open();
  const { path } = await ensureWorktree(repo, {
    featureId: "login",
    branch: "login",
    baseRef: "main",
    path: join(user.root, ".worktrees/login"),
  });
  rmSync(join(path, ".git"));
  at(path).git("init", "-q");
  writeFileSync(join(path, ".git/config"), `[core]\n\tfsmonitor = "touch ${pwned}"\n`);
  // Bypass the check: the vault itself, in the same folder.
  const git = await repo.vault({ workTree: path, indexFile: join(temporaryFolder(), "index") });
  await git.run(["read-tree", user.git("rev-parse", "HEAD")]);
  await git.run(["update-index", "-q", "--refresh"], { allowExit: [1] });
  expect(await git.text(["ls-files", "-o", "--exclude-standard"])).toBe("");
  expect(existsSync(pwned)).toBe(false);
});

test("attack 21: a missing object is not fetched, even if the repository allows the protocol", async () => {
  const user = scratch();
  const pwned = join(temporaryFolder(), "pwned");
  user.git("config", "core.repositoryformatversion", "1");
  user.git("config", "extensions.partialClone", "evil");
  user.git("config", "remote.evil.url", `ext::touch ${pwned}`);
  user.git("config", "remote.evil.promisor", "true");
  user.git("config", "protocol.ext.allow", "always");
  const repo = await user.open();
  await expect(repo.git.run(["cat-file", "blob", "1".repeat(40)])).rejects.toMatchObject({ code: "git_failed" });
  expect(existsSync(pwned)).toBe(false);
});

test("attack 22: a revision that starts with a dash is never an option", async () => {
  const user = scratch();
  const repo = await user.open();
  const out = join(temporaryFolder(), "out");
  for (const name of [`--output=${out}`, "-x", "--upload-pack=touch"]) {
    await expect(changeBetween(repo, name, "HEAD")).rejects.toMatchObject({ code: "git_failed" });
    await expect(diffText(repo, "HEAD", name)).rejects.toMatchObject({ code: "git_failed" });
    await expect(judgePatch(repo, { baseTree: name, patch: Buffer.from(PATCH) })).rejects.toMatchObject({ code: "git_failed" });
    await expect(landMerge(repo, { baseBranch: name, expected: "1".repeat(40), commit: "2".repeat(40) })).rejects.toMatchObject({
      code: "base_moved",
    });
  }
  expect(existsSync(out)).toBe(false);
});

test("replaced objects do not change what is judged or merged", async () => {
  const user = scratch();
  const real = user.git("rev-parse", "HEAD:README.md");
  user.write("fake", "fake\n");
  user.git("replace", real, user.git("hash-object", "-w", "fake"));
  const repo = await user.open();
  expect(user.git("cat-file", "blob", real)).toBe("fake");
  expect(await repo.git.text(["cat-file", "blob", real])).toBe(FILES["README.md"]);
  const { path } = await ensureWorktree(repo, {
    featureId: "login",
    branch: "login",
    baseRef: "main",
    path: join(user.root, ".worktrees/login"),
  });
  expect(at(path).read("README.md").toString()).toBe(FILES["README.md"]);
});
