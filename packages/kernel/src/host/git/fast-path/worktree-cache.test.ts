import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { applyEntries } from "../apply-tree.ts";
import { judgePatch } from "../patch.ts";
import { excludeLocally, type Repository } from "../repository.ts";
import { pathsIfAt, snapshotTree } from "../snapshot.ts";
import { scratch, type Scratch } from "../testing/scratch.ts";
import { ensureWorktree } from "../worktree.ts";

const FILES = {
  "a.txt": "one\n",
  "src/b.txt": "one\n",
  "src/deep/c.txt": "one\n",
  "run.sh": "#!/bin/sh\n",
  ".gitignore": "out/\n*.log\nkept/*\n!kept/keep.txt\n",
  "kept/keep.txt": "one\n",
};

interface World {
  readonly user: Scratch;
  readonly repo: Repository;
  readonly path: string;
  readonly tree: string;
  /** How often git was started through the vault. */
  readonly started: () => number;
}

async function world(): Promise<World> {
  const user = scratch(FILES);
  const opened = await user.open();
  await excludeLocally(opened, [".slipway/", ".worktrees/"]);
  const { path } = await ensureWorktree(opened, {
    featureId: "login",
    branch: "login",
    baseRef: "main",
    path: join(user.root, ".worktrees/login"),
  });
  let calls = 0;
  const repo: Repository = {
    ...opened,
    async vault(use) {
      const git = await opened.vault(use);
      return {
        ...git,
        run: (...args) => {
          calls++;
          return git.run(...args);
        },
      };
    },
  };
  return { user, repo, path, tree: user.git("rev-parse", "main^{tree}"), started: () => calls };
}

const put = (root: string, name: string, text: string) => {
  mkdirSync(dirname(join(root, name)), { recursive: true });
  writeFileSync(join(root, name), text);
};

type Change = readonly [what: string, make: (world: World) => void];

/** Changes that a gate, an agent or a person may make to a worktree. */
const CHANGES: readonly Change[] = [
  ["other content of the same length", ({ path }) => put(path, "a.txt", "two\n")],
  ["the same content again", ({ path }) => put(path, "a.txt", readFileSync(join(path, "a.txt"), "utf8"))],
  [
    "other content, back-dated",
    ({ path }) => {
      put(path, "src/b.txt", "bad\n");
      utimesSync(join(path, "src/b.txt"), 1_000, 1_000);
    },
  ],
  ["a new file", ({ path }) => put(path, "src/new.txt", "new\n")],
  ["a new file in a new folder", ({ path }) => put(path, "more/new.txt", "new\n")],
  ["an ignored file", ({ path }) => put(path, "src/x.log", "log\n")],
  ["an ignored folder", ({ path }) => put(path, "out/x", "out\n")],
  ["another file in it", ({ path }) => put(path, "out/y", "out\n")],
  ["a file that is ignored in a folder that is not", ({ path }) => put(path, "kept/other.txt", "x\n")],
  ["an empty folder", ({ path }) => mkdirSync(join(path, "empty"), { recursive: true })],
  ["a file in it", ({ path }) => put(path, "empty/file", "x\n")],
  ["a file gone", ({ path }) => rmSync(join(path, "src/deep/c.txt"), { force: true })],
  ["executable", ({ path }) => chmodSync(join(path, "run.sh"), 0o755)],
  [
    "a folder that became a link to its copy",
    ({ path }) => {
      put(path, "out/copy/c.txt", "one\n");
      rmSync(join(path, "src/deep"), { recursive: true, force: true });
      symlinkSync("../out/copy", join(path, "src/deep"));
    },
  ],
  [
    "swapped for another file",
    ({ path }) => {
      put(path, "out/swap", "two\n");
      renameSync(join(path, "out/swap"), join(path, "a.txt"));
    },
  ],
  ["other rules in the repository", ({ user }) => put(user.root, ".git/info/exclude", `.slipway/\n.worktrees/\n${Math.random()}\n`)],
  ["untracked ignore rules", ({ path }) => put(path, "kept/.gitignore", "*.txt\n")],
  ["the ignore rules themselves", ({ path }) => put(path, ".gitignore", "nothing\n")],
];

describe.each([
  ["that changed a moment ago", 0],
  ["that have not changed for long", 60_000],
])("a second check of files %s", (_age, laterMs) => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + laterMs }));
  afterEach(() => void vi.useRealTimers());

  test("needs no git while nothing has changed", async () => {
    const { repo, path, tree, started } = await world();
    expect(await pathsIfAt(repo, path, tree)).toEqual(Object.keys(FILES).toSorted());
    const before = started();
    for (let time = 0; time < 3; time++) expect(await pathsIfAt(repo, path, tree)).toHaveLength(Object.keys(FILES).length);
    expect(started()).toBe(before);
  });

  test.each(CHANGES)("after %s agrees with a snapshot", async (_what, make) => {
    const known = await world();
    const { repo, path, tree } = known;
    expect(await pathsIfAt(repo, path, tree)).not.toBeNull();
    make(known);
    const said = await pathsIfAt(repo, path, tree);
    if ((await snapshotTree(repo, path)) !== tree) expect(said).toBeNull();
    else expect(await pathsIfAt(repo, path, tree)).not.toBeNull();
  });

  test("is never wrong, for any changes in any order", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...CHANGES), { minLength: 1, maxLength: 6 }), async (changes) => {
        const known = await world();
        const { repo, path, tree } = known;
        await pathsIfAt(repo, path, tree);
        for (const [, make] of changes) {
          make(known);
          const said = await pathsIfAt(repo, path, tree);
          if (said !== null) expect(await snapshotTree(repo, path)).toBe(tree);
        }
      }),
      { numRuns: 12 },
    );
  });

  test("of another tree, or after a restart of the process, asks git", async () => {
    const { user, repo, path, tree } = await world();
    await pathsIfAt(repo, path, tree);
    expect(await pathsIfAt(repo, path, user.git("hash-object", "-t", "tree", "-w", "/dev/null"))).toBeNull();
    expect(await pathsIfAt(await user.open(), path, tree)).not.toBeNull();
  });
});

describe("a change by Slipway", () => {
  const PATCH =
    "diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+two\n" +
    "diff --git a/src/deep/c.txt b/src/deep/c.txt\ndeleted file mode 100644\n--- a/src/deep/c.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n" +
    "diff --git a/new/d.txt b/new/d.txt\nnew file mode 100755\n--- /dev/null\n+++ b/new/d.txt\n@@ -0,0 +1 @@\n+new\n";

  async function changed(meanwhile: (world: World) => void = () => undefined) {
    const known = await world();
    const { repo, path, tree } = known;
    const indexFile = join(known.user.root, ".slipway/index");
    await pathsIfAt(repo, path, tree, { indexFile });
    const judged = await judgePatch(repo, { baseTree: tree, patch: Buffer.from(PATCH) });
    meanwhile(known);
    await applyEntries(repo, path, judged.changes, { indexFile }, judged);
    return { ...known, indexFile, next: judged.tree };
  }

  test("updates the cache: the next check needs no git, and is right", async () => {
    const { repo, path, next, indexFile, started } = await changed();
    const before = started();
    expect(await pathsIfAt(repo, path, next, { indexFile })).toEqual(expect.arrayContaining(["a.txt", "new/d.txt", "src/b.txt"]));
    expect(started()).toBe(before);
    expect(await snapshotTree(repo, path, { indexFile })).toBe(next);
    expect(await snapshotTree(repo, path)).toBe(next);
  });

  test.each<[string, (root: string) => void]>([
    ["beside a changed file", (root) => put(root, "stray.txt", "x\n")],
    ["in another folder", (root) => put(root, "kept/keep.txt", "bad\n")],
  ])("does not hide a concurrent change %s", async (_where, stray) => {
    const { repo, path, next, indexFile } = await changed(({ path: root }) => stray(root));
    expect(await pathsIfAt(repo, path, next, { indexFile })).toBeNull();
    expect(await snapshotTree(repo, path, { indexFile })).not.toBe(next);
  });

  test("a file that is overwritten at once with the same size is noticed", async () => {
    const { repo, path, next, indexFile } = await changed();
    put(path, "a.txt", "bad\n");
    expect(await pathsIfAt(repo, path, next, { indexFile })).toBeNull();
  });
});
