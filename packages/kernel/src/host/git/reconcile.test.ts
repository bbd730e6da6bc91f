import { spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { systemHost } from "@slipway/durable/host";
import { describe, expect, onTestFinished, test } from "vitest";
import { anchor } from "./anchor.ts";
import { abandonLanding, declareLanding, settleLandings, type LandingIntent } from "./landing-intent.ts";
import { findCheckouts, performAdvance, planAdvance, stagingFor, type Undo } from "./checkout.ts";
import { clearStaleLock } from "./locks.ts";
import { buildMerge, landMerge } from "./merge.ts";
import { moveBranch } from "./branch.ts";
import { rawBetween } from "./raw.ts";
import { reconcile } from "./reconcile.ts";
import { excludeLocally, type Repository } from "./repository.ts";
import { snapshotTree } from "./snapshot.ts";
import { AT, at, contents, FILES, scratch, temporaryFolder, treeContents, type Scratch } from "./testing/scratch.ts";
import { ensureWorktree } from "./worktree.ts";

const identity = { name: "Slipway", email: "slipway@localhost" };

async function world(user: Scratch = scratch()) {
  const repo = await user.open();
  await excludeLocally(repo, [".slipway/", ".worktrees/"]);
  const request = { featureId: "login", branch: "login", baseRef: "main", path: join(user.root, ".worktrees/login") };
  const { path, baseCommit } = await ensureWorktree(repo, request);
  const worktree = at(path);
  worktree.write("README.md", "# Merged\n");
  worktree.write("src/new.ts", "new\n");
  worktree.remove("src/add.ts");
  const { tree } = await anchor(repo, path, { run: "r", step: "s", message: "m", at: AT });
  const built = await buildMerge(repo, {
    baseCommit,
    baseNow: baseCommit,
    tree,
    strategy: "merge_commit",
    message: "login",
    author: identity,
    committer: identity,
    at: AT,
  });
  const landing = {
    baseBranch: "main",
    expected: baseCommit,
    commit: built.commit,
    featureBranch: "login",
    featureCommit: built.featureCommit,
  };
  return { user, repo, request, path, worktree, tree, landing };
}

type World = Awaited<ReturnType<typeof world>>;

/** A landing that died after `until`, with the intent of a dead process. */
async function died(
  { repo, user, landing }: World,
  until: "intent" | "locks" | "index" | "half the files" | "files" | "refs" | "base only",
): Promise<LandingIntent> {
  const change = {
    from: landing.expected,
    to: landing.commit,
    entries: await rawBetween(await repo.vault(), landing.expected, landing.commit),
  };
  const advances = await Promise.all((await findCheckouts(repo, "main")).map((checkout) => planAdvance(repo, checkout, change)));
  const intent = await declareLanding(repo, { ...landing, branches: ["main", "login"], advances });
  const file = join(repo.commonDir, "slipway/intents", `${intent.id}.json`);
  const dead = { ...intent, process: { ...intent.process, pid: 1, startedAt: "never" } };
  writeFileSync(file, JSON.stringify(dead));
  const order = ["intent", "locks", "index", "half the files", "files", "refs"];
  const reached = (step: string) => until !== "base only" && order.indexOf(until) >= order.indexOf(step);
  if (reached("locks"))
    for (const lock of ["HEAD.lock", "index.lock", "refs/heads/main.lock", "refs/heads/login.lock"])
      writeFileSync(join(repo.commonDir, lock), "");
  if (reached("index")) {
    rmSync(join(repo.commonDir, "index.lock"));
    user.git("read-tree", "-i", "-m", landing.expected, landing.commit);
  }
  if (reached("half the files")) user.write("README.md", "# Merged\n");
  if (reached("files") || until === "base only") {
    if (until === "base only") user.git("read-tree", "-i", "-m", landing.expected, landing.commit);
    user.write("README.md", "# Merged\n");
    user.write("src/new.ts", "new\n");
    user.remove("src/add.ts");
    const staging = stagingFor({ root: user.root, gitDir: repo.gitDir }, intent.id);
    mkdirSync(staging, { recursive: true });
    writeFileSync(join(staging, "old-0"), "kept");
  }
  if (reached("refs") || until === "base only") {
    for (const lock of ["HEAD.lock", "refs/heads/main.lock"]) rmSync(join(repo.commonDir, lock), { force: true });
    user.git("update-ref", "refs/heads/main", landing.commit);
    writeFileSync(join(repo.commonDir, "refs/heads/login.lock"), "");
  }
  return dead;
}

describe("attack 39: a landing that was killed", () => {
  test.each(["intent", "locks", "index", "half the files", "files"] as const)(
    "after the %s: the user's checkout is as it was, and a repeat lands",
    async (until) => {
      const all = await world();
      const { user, repo, landing } = all;
      user.write("untracked.txt", "mine\n");
      const before = { files: contents(user.root), status: user.git("status", "--porcelain"), index: user.git("ls-files", "-s") };
      await died(all, until);
      const done = await reconcile(repo);
      expect(done).toContain(`settled the landing of ${landing.commit} on main`);
      expect({ files: contents(user.root), status: user.git("status", "--porcelain"), index: user.git("ls-files", "-s") }).toEqual(before);
      expect(user.git("rev-parse", "main")).toBe(landing.expected);
      expect(await landMerge(repo, landing)).toEqual({ landed: true, already: false, checkoutUpdated: true });
      expect(user.git("status", "--porcelain")).toBe("?? untracked.txt");
      expect(user.exists(".slipway/tmp")).toBe(false);
    },
  );

  test.each(["locks", "half the files", "files"] as const)("after the %s a repeat alone is enough", async (until) => {
    const all = await world();
    await died(all, until);
    expect(await landMerge(all.repo, all.landing)).toMatchObject({ already: false });
    expect(contents(all.user.root)).toEqual(treeContents(all.user.root, "main"));
    expect(all.user.git("status", "--porcelain")).toBe("");
  });

  test.each(["refs", "base only"] as const)("after the refs (%s): it has landed, and the feature's branch follows", async (until) => {
    const all = await world();
    await died(all, until);
    expect(await landMerge(all.repo, all.landing)).toEqual({ landed: true, already: true, checkoutUpdated: false });
    expect(all.user.git("rev-parse", "login")).toBe(all.landing.featureCommit);
    expect(contents(all.user.root)).toEqual(treeContents(all.user.root, "main"));
    expect(all.user.git("status", "--porcelain")).toBe("");
    expect(existsSync(join(all.repo.commonDir, "refs/heads/login.lock"))).toBe(false);
  });

  test("files that were edited since then are left", async () => {
    const all = await world();
    await died(all, "files");
    all.user.write("README.md", "typed after the crash\n");
    expect(await reconcile(all.repo)).toContain(`left ${all.user.root} unchanged: its files were edited since the landing`);
    expect(all.user.read("README.md").toString()).toBe("typed after the crash\n");
  });

  test("a file that already had the new content before is not reverted", async () => {
    const all = await world();
    all.user.write("src/new.ts", "new\n");
    await died(all, "files");
    await reconcile(all.repo);
    expect(all.user.read("src/new.ts").toString()).toBe("new\n");
    expect(all.user.read("README.md").toString()).toBe(FILES["README.md"]);
  });

  test("a base that has moved is not changed", async () => {
    const all = await world();
    await died(all, "intent");
    all.user.write("other.txt", "x");
    const moved = all.user.commit();
    await reconcile(all.repo);
    expect(all.user.git("rev-parse", "main")).toBe(moved);
    expect(readdirSync(join(all.repo.commonDir, "slipway/intents"))).toEqual([]);
  });

  test("the landing of a live process and an unreadable intent are not touched", async () => {
    const all = await world();
    const intent = await died(all, "intent");
    const file = join(all.repo.commonDir, "slipway/intents", `${intent.id}.json`);
    writeFileSync(file, JSON.stringify({ ...intent, process: { ...intent.process, pid: process.pid, startedAt: "" } }));
    writeFileSync(join(dirname(file), "torn.json"), '{"id":');
    expect(await settleLandings(all.repo)).toEqual([]);
    expect(existsSync(file)).toBe(true);
  });

  test("a landing of this process that could not clean up is settled by the next one", async () => {
    const all = await world();
    const intent = await died(all, "half the files");
    const file = join(all.repo.commonDir, "slipway/intents", `${intent.id}.json`);
    const { host, pid, startedAt } = systemHost();
    writeFileSync(file, JSON.stringify({ ...intent, process: { host, pid, startedAt } }));
    expect(await settleLandings(all.repo)).toEqual([]);
    abandonLanding(intent);
    expect(await landMerge(all.repo, all.landing)).toMatchObject({ already: false });
    expect(existsSync(file)).toBe(false);
    expect(all.user.git("status", "--porcelain")).toBe("");
  });

  test("a lock that is still held keeps the intent for later", async () => {
    const all = await world();
    const intent = await died(all, "locks");
    const git = await liveGit(all.user.root);
    expect(await settleLandings(all.repo)).toEqual([]);
    expect(existsSync(join(all.repo.commonDir, "refs/heads/main.lock"))).toBe(true);
    await git.stop();
    expect(await settleLandings(all.repo)).toContain(`settled the landing of ${intent.commit} on main`);
  });

  test("an advance that fails after the index was updated restores the index", async () => {
    const { user, repo, landing } = await world();
    const [checkout] = await findCheckouts(repo, "main");
    const change = {
      from: landing.expected,
      to: landing.commit,
      entries: await rawBetween(await repo.vault(), landing.expected, landing.commit),
    };
    const advance = await planAdvance(repo, checkout!, change);
    const before = { files: contents(user.root), index: user.git("ls-files", "-s") };
    const staging = stagingFor(checkout!, "x");
    mkdirSync(staging, { recursive: true });
    // In the way of the backup of the old file.
    mkdirSync(join(staging, "old-0/deep"), { recursive: true });
    const undo: Undo[] = [];
    await expect(performAdvance(repo, advance, staging, undo)).rejects.toThrow();
    for (const step of undo.toReversed()) await step();
    expect({ files: contents(user.root), index: user.git("ls-files", "-s") }).toEqual(before);
  });
});

/** The repository, and when its first git process was looked at: the list of processes was complete then. */
function watchedWhile(repo: Repository): { readonly repo: Repository; readonly looked: Promise<void> } {
  const { promise: looked, resolve } = Promise.withResolvers<void>();
  const watched = Object.create(repo, {
    root: {
      get() {
        resolve();
        return repo.root;
      },
    },
  }) as Repository;
  return { repo: watched, looked };
}

describe("stale locks", () => {
  test("are removed if no git process can hold them", async () => {
    const { user, repo } = await world();
    const lock = join(repo.commonDir, "x.lock");
    expect(await clearStaleLock(repo, lock)).toBe("absent");
    writeFileSync(lock, "");
    expect(await clearStaleLock(repo, lock)).toBe("cleared");
    expect(user.exists(".git/x.lock")).toBe(false);
  });

  test("stay while an earlier git process is alive, and a later one does not matter", { timeout: 20_000 }, async () => {
    const { user, repo } = await world();
    const lock = join(repo.commonDir, "x.lock");
    writeFileSync(lock, "");
    const holder = await liveGit(user.root);
    expect(await clearStaleLock(repo, lock, { waitMs: 200 })).toBe("held");
    const watched = watchedWhile(repo);
    const pending = clearStaleLock(watched.repo, lock, { waitMs: 30_000 });
    await watched.looked;
    const later = await liveGit(user.root);
    await holder.stop();
    expect(await pending).toBe("cleared");
    await later.stop();
  });

  test("a process elsewhere does not count as a holder, an unreadable one does", async () => {
    const { user, repo } = await world();
    const lock = join(repo.commonDir, "x.lock");
    const elsewhere = await liveGit(temporaryFolder());
    writeFileSync(lock, "");
    expect(await clearStaleLock(repo, lock)).toBe("cleared");
    await elsewhere.stop();
    writeFileSync(lock, "");
    const proc = temporaryFolder();
    expect(await clearStaleLock(repo, lock, { proc, waitMs: 100 })).toBe("held");
    mkdirSync(join(proc, "77"));
    writeFileSync(join(proc, "77/stat"), `77 (git) S ${"0 ".repeat(18)}4711 0`);
    expect(await clearStaleLock(repo, lock, { proc, waitMs: 100 })).toBe("held");
    writeFileSync(join(proc, "77/stat"), `77 (git) Z ${"0 ".repeat(18)}4711 0`);
    expect(await clearStaleLock(repo, lock, { proc })).toBe("cleared");
    writeFileSync(lock, "");
    writeFileSync(join(proc, "77/stat"), `77 (git) S ${"0 ".repeat(18)}4711 0`);
    symlinkSync("/", join(proc, "77/cwd"));
    writeFileSync(join(proc, "77/cmdline"), `git\0--git-dir=${user.root}/.git\0gc\0`);
    expect(await clearStaleLock(repo, lock, { proc, waitMs: 100 })).toBe("held");
  });

  test("a lock that was replaced during the check stays", async () => {
    const { user, repo } = await world();
    const lock = join(repo.commonDir, "x.lock");
    for (const [next, expected] of [
      ["new", "held"],
      [null, "absent"],
    ] as const) {
      writeFileSync(lock, "");
      const holder = await liveGit(user.root);
      const watched = watchedWhile(repo);
      const pending = clearStaleLock(watched.repo, lock, { waitMs: 30_000 });
      await watched.looked;
      rmSync(lock);
      if (next !== null) {
        writeFileSync(`${lock}.other`, next);
        renameSync(`${lock}.other`, lock);
        utimesSync(lock, 1, 1);
      }
      await holder.stop();
      expect(await pending).toBe(expected);
      rmSync(lock, { force: true });
    }
  });

  test("withOwnLock removes a stale lock, and git fails on a held one", async () => {
    const { user, repo, path } = await world();
    const lock = join(repo.commonDir, "refs/heads/login.lock");
    writeFileSync(lock, "");
    const git = await liveGit(user.root);
    const head = user.git("rev-parse", "login");
    await expect(moveBranch(repo, "login", head, head)).rejects.toMatchObject({
      code: "git_failed",
      message: expect.stringContaining("login.lock"),
    });
    await git.stop();
    await moveBranch(repo, "login", head, head);
    expect(existsSync(lock)).toBe(false);
    expect(existsSync(path)).toBe(true);
  });
});

describe("reconcile", () => {
  test("does nothing to a healthy repository, and is idempotent", async () => {
    const { user, repo, path } = await world();
    const before = { files: contents(path), refs: user.git("for-each-ref"), list: user.git("worktree", "list") };
    expect(await reconcile(repo)).toEqual([]);
    expect({ files: contents(path), refs: user.git("for-each-ref"), list: user.git("worktree", "list") }).toEqual(before);
  });

  test("removes the locks of Slipway's indexes, anchors, branches and worktrees, and no others", async () => {
    const { user, repo, path } = await world();
    const key = readdirSync(join(repo.commonDir, "slipway/worktrees"))[0] ?? "";
    const ours = [`slipway/worktrees/${key}/index.lock`, "refs/slipway/r/s.lock", "refs/heads/login.lock", "worktrees/login/HEAD.lock"].map(
      (lock) => join(repo.commonDir, lock),
    );
    const feature = join(user.root, ".slipway/features/login/harness.index.lock");
    mkdirSync(dirname(feature), { recursive: true });
    const theirs = ["index.lock", "HEAD.lock", "refs/heads/main.lock", "config.lock"].map((lock) => join(repo.commonDir, lock));
    for (const lock of [...ours, feature, ...theirs]) writeFileSync(lock, "");
    expect((await reconcile(repo)).toSorted()).toEqual([...ours, feature].map((lock) => `removed the stale lock ${lock}`).toSorted());
    expect(theirs.map((lock) => existsSync(lock))).toEqual([true, true, true, true]);
    for (const lock of theirs) rmSync(lock);
    expect(await snapshotTree(repo, path)).toMatch(/^[0-9a-f]{40}$/);
  });

  test("reports a lock that is still held", async () => {
    const { user, repo } = await world();
    const lock = join(repo.commonDir, "refs/slipway/r/s.lock");
    writeFileSync(lock, "");
    const git = await liveGit(user.root);
    expect(await reconcile(repo)).toEqual([`left the lock ${lock}: a git process may still hold it`]);
    await git.stop();
  });

  test("removes deleted worktrees of Slipway from git's list, and no others", async () => {
    const { user, repo, path } = await world();
    const other = join(temporaryFolder(), "other");
    user.git("worktree", "add", "-q", "-b", "other", other);
    rmSync(other, { recursive: true });
    rmSync(path, { recursive: true });
    expect(await reconcile(repo)).toEqual([`removed the deleted worktree ${path} from git's list`]);
    expect(user.git("worktree", "list", "--porcelain")).toContain(other);
    expect(user.git("worktree", "list", "--porcelain")).not.toContain(path);
    expect(user.git("branch", "--list", "login")).not.toBe("");
  });

  test("removes unfinished files of dead processes, and keeps those of live ones", async () => {
    const { user, repo, request } = await world();
    const scratchFolder = join(user.root, ".worktrees/.slipway-tmp");
    const dead = "4194303-aaaa";
    const alive = `${process.pid}-bbbb`;
    for (const kind of ["new", "stage", "trash"]) for (const name of [dead, alive]) at(scratchFolder).write(`${kind}/${name}/file`, "x");
    for (const name of [dead, alive]) at(join(repo.commonDir, "slipway/tmp")).write(`${name}/index`, "x");
    // Killed inside `git worktree add`: a registration without a path, and one with a path.
    mkdirSync(join(repo.commonDir, "worktrees/signup"));
    mkdirSync(join(scratchFolder, "new", dead, "signup"), { recursive: true });
    user.git("worktree", "add", "-q", "--no-checkout", "-b", "search", join(scratchFolder, "new", dead, "search"));
    const done = await reconcile(repo, { worktreeRoots: [join(user.root, "elsewhere")] });
    expect(done).toHaveLength(4);
    expect(readdirSync(join(repo.commonDir, "worktrees"))).toEqual(["login"]);
    for (const kind of ["new", "stage", "trash"]) expect(readdirSync(join(scratchFolder, kind))).toEqual([alive]);
    expect(readdirSync(join(repo.commonDir, "slipway/tmp"))).toEqual([alive]);
    for (const featureId of ["signup", "search"]) {
      const made = await ensureWorktree(repo, { ...request, featureId, branch: featureId, path: join(user.root, ".worktrees", featureId) });
      expect(contents(made.path)).toEqual(treeContents(user.root, "main"));
    }
  });
});

describe("attack 39: ensureWorktree after a kill inside git", () => {
  test("an unfinished worktree on the same branch is removed and made again", async () => {
    const { user, repo, request } = await world();
    const folder = join(user.root, ".worktrees/.slipway-tmp/new/4194303-aaaa");
    mkdirSync(folder, { recursive: true });
    user.git("worktree", "add", "-q", "--no-checkout", "-b", "search", join(folder, "search"));
    const made = await ensureWorktree(repo, {
      ...request,
      featureId: "search",
      branch: "search",
      path: join(user.root, ".worktrees/search"),
    });
    expect(made.created).toBe(true);
    expect(user.git("worktree", "list").split("\n")).toHaveLength(3);
  });

  test.each([true, false])(
    "a kill right after the rename leaves a worktree that only has to be connected, reconciled first: %s",
    async (first) => {
      const { user, repo, request } = await world();
      const folder = join(user.root, ".worktrees/.slipway-tmp/new/4194303-aaaa");
      mkdirSync(folder, { recursive: true });
      user.git("worktree", "add", "-q", "-b", "search", join(folder, "search"));
      renameSync(join(folder, "search"), join(user.root, ".worktrees/search"));
      if (first) await reconcile(repo);
      const made = await ensureWorktree(repo, {
        ...request,
        featureId: "search",
        branch: "search",
        path: join(user.root, ".worktrees/search"),
      });
      expect(made).toMatchObject({ created: false, rebuilt: false });
      expect(at(made.path).git("status", "--porcelain")).toBe("");
      expect(user.git("worktree", "list")).toContain(made.path);
    },
  );

  test("a branch without a worktree is used, and a lock on it is removed", async () => {
    const { user, repo, request } = await world();
    user.git("branch", "search");
    writeFileSync(join(repo.commonDir, "refs/heads/other.lock"), "");
    for (const featureId of ["search", "other"]) {
      const made = await ensureWorktree(repo, { ...request, featureId, branch: featureId, path: join(user.root, ".worktrees", featureId) });
      expect(made.created).toBe(true);
    }
  });
});

/** A process named git with a working folder. */
async function liveGit(cwd: string): Promise<{ stop(): Promise<void> }> {
  const file = join(temporaryFolder(), "git");
  writeFileSync(file, "#!/bin/sh\necho ready\nread line\n");
  chmodSync(file, 0o755);
  const child = spawn(file, [], { cwd, stdio: ["pipe", "pipe", "ignore"] });
  const ended = new Promise<void>((resolve) => child.on("close", () => resolve()));
  await new Promise((resolve) => child.stdout.once("data", resolve));
  const stop = async () => {
    child.stdin.end();
    await ended;
  };
  onTestFinished(stop);
  return { stop };
}
