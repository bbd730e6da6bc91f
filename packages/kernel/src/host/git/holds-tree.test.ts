import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { holdsTree } from "./holds-tree.ts";
import { excludeLocally } from "./repository.ts";
import { snapshotTree } from "./snapshot.ts";
import { scratch, type Scratch } from "./testing/scratch.ts";
import { ensureWorktree } from "./worktree.ts";

const FILES = { "a.txt": "one\n", "src/b.txt": "one\n", "src/deep/c.txt": "one\n", ".gitignore": "out/\n*.log\n" };

async function world(prepare: (user: Scratch) => void = () => undefined) {
  const user = scratch(FILES);
  prepare(user);
  const repo = await user.open();
  await excludeLocally(repo, [".slipway/", ".worktrees/"]);
  const wanted = { featureId: "login", branch: "login", baseRef: "main", path: join(user.root, ".worktrees/login") };
  const { path } = await ensureWorktree(repo, wanted);
  const tree = user.git("rev-parse", "main^{tree}");
  // The index exists with a stat cache, as after every patch.
  await snapshotTree(repo, path);
  return { user, repo, path, tree };
}

const put = (path: string, text: string) => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
};

describe.each([
  ["small", Number.POSITIVE_INFINITY],
  ["large", 0],
])("holdsTree, with a tree that counts as %s", (_size, largeIndexBytes) => {
  const ask = ({ repo, path, tree }: Awaited<ReturnType<typeof world>>) => holdsTree(repo, path, tree, {}, largeIndexBytes);

  test("true, also with ignored files", async () => {
    const made = await world();
    expect(await ask(made)).toBe(true);
    put(join(made.path, "out/x"), "built");
    put(join(made.path, "src/x.log"), "said");
    expect(await ask(made)).toBe(true);
  });

  test.each<[string, (path: string) => void]>([
    ["a file is changed", (path) => put(join(path, "src/b.txt"), "two!\n")],
    ["a file is gone", (path) => rmSync(join(path, "a.txt"))],
    ["a file is executable", (path) => chmodSync(join(path, "a.txt"), 0o755)],
    ["a file is new", (path) => put(join(path, "src/new.txt"), "one\n")],
    [
      "a link took the place of a folder",
      (path) => {
        rmSync(join(path, "src"), { recursive: true });
        symlinkSync("/", join(path, "src"));
      },
    ],
    ["the ignore rules are changed", (path) => put(join(path, ".gitignore"), "out/\n*.log\n*.txt\n")],
  ])("false if %s", async (_what, change) => {
    const made = await world();
    change(made.path);
    expect(await ask(made)).toBe(false);
    expect(await snapshotTree(made.repo, made.path)).not.toBe(made.tree);
  });

  test("false for another tree", async () => {
    const made = await world();
    const empty = made.user.git("hash-object", "-t", "tree", "-w", "/dev/null");
    expect(await ask({ ...made, tree: empty })).toBe(false);
  });

  test("false for a tree with a submodule, into which git does not look", async () => {
    const made = await world((user) => {
      user.git("update-index", "--add", "--cacheinfo", `160000,${user.git("rev-parse", "HEAD")},lib`);
      user.git("commit", "-qm", "submodule");
    });
    put(join(made.path, "lib/hidden.txt"), "bytes");
    expect(await ask(made)).toBe(false);
    expect(await ask(made)).toBe(false);
  });
});
