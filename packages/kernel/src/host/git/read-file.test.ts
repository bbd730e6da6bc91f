import { execFileSync } from "node:child_process";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readWorktreeFile } from "./read-file.ts";
import { at, scratch } from "./testing/scratch.ts";
import { worktreeStatus } from "./worktree-status.ts";
import { ensureWorktree } from "./worktree.ts";

async function feature() {
  const repo = scratch();
  const opened = await repo.open();
  const { path } = await ensureWorktree(opened, { featureId: "letters", branch: "letters", path: ".worktrees/letters" });
  return { repo, opened, path, tree: at(path), read: (wanted: string) => readWorktreeFile(opened, path, wanted) };
}

describe("[FEA-084] a file of a worktree", () => {
  test("is read from disk by a path in any spelling", async () => {
    const { read, tree } = await feature();
    tree.write("src/add.ts", "edited ✓\n");
    const expected = { path: "src/add.ts", bytes: 11, binary: false, text: "edited ✓\n", truncated: false };
    expect(await read("src/add.ts")).toEqual(expected);
    expect(await read("./src//x/../add.ts")).toEqual(expected);
  });

  test.each(["../../README.md", "/etc/passwd", "src/../../../README.md", ".git", ".GIT/config", "src\\add.ts", "a\0b", "C:/x", ""])(
    "%j is out of bounds",
    async (path) => {
      const { read } = await feature();
      await expect(read(path)).rejects.toMatchObject({ code: "path_out_of_bounds" });
    },
  );

  test.each([
    ["a link to a file outside", "secret", "secret"],
    ["a folder that is a link", "out", "out/README.md"],
    ["a link to a file inside", "inside", "inside"],
    ["a link to nothing", "nothing", "nothing"],
  ])("attack 43: %s is not followed", async (_what, name, wanted) => {
    const { read, tree, repo } = await feature();
    const targets: Record<string, string> = { secret: join(repo.root, "README.md"), out: repo.root, inside: "README.md", nothing: "gone" };
    symlinkSync(targets[name] ?? "", join(tree.root, name));
    await expect(read(wanted)).rejects.toMatchObject({ code: "path_out_of_bounds", details: { link: name } });
  });

  test.each(["src", "none.txt", "none/deeper.txt", "README.md/deeper", "pipe"])("%s is not a file", async (path) => {
    const { read, tree } = await feature();
    execFileSync("mkfifo", [join(tree.root, "pipe")]);
    await expect(read(path)).rejects.toMatchObject({
      code: "input_path_not_found",
      details: { suggested_next_actions: [expect.any(String)] },
    });
  });

  test("is marked if it is binary, and truncated between characters if it is long", async () => {
    const { read, tree } = await feature();
    tree.write("zero.bin", Buffer.from([1, 0, 2]));
    tree.write("latin.txt", Buffer.from([0x61, 0xff, 0x62]));
    tree.write("long.txt", `x${"ä".repeat(400_000)}`);
    tree.write("empty.txt", "");
    expect(await read("zero.bin")).toEqual({ path: "zero.bin", bytes: 3, binary: true, text: null, truncated: false });
    expect((await read("latin.txt")).binary).toBe(true);
    expect(await read("empty.txt")).toMatchObject({ bytes: 0, binary: false, text: "", truncated: false });
    const long = await read("long.txt");
    expect(long).toMatchObject({ bytes: 800_001, binary: false, truncated: true });
    expect(long.text).toMatch(/^xä+$/);
  });

  test("attack 24: is not read from a swapped worktree", async () => {
    const { read, tree } = await feature();
    tree.write(".git", "gitdir: /elsewhere\n");
    await expect(read("README.md")).rejects.toMatchObject({ code: "worktree_swapped" });
  });
});

describe("[FEA-083] the status of a worktree", () => {
  test("contains its branch and git's status of its files", async () => {
    const { opened, path, tree } = await feature();
    expect(await worktreeStatus(opened, path)).toEqual({ branch: "letters", porcelain: "" });
    tree.write("src/add.ts", "x\n");
    tree.write("new folder/b.txt", "x\n");
    tree.remove("README.md");
    tree.write("dist/ignored.txt", "x\n");
    expect((await worktreeStatus(opened, path)).porcelain.split("\n")).toEqual([
      " D README.md",
      " M src/add.ts",
      '?? "new folder/b.txt"',
      "",
    ]);
  });

  test("attacks 19 to 21: hooks, monitors and filters do not run, and nothing is written", async () => {
    const { opened, path, tree, repo } = await feature();
    const mark = join(repo.root, "pwned");
    repo.git("config", "core.fsmonitor", `touch ${mark}`);
    repo.git("config", "filter.evil.clean", `touch ${mark}; cat`);
    tree.write(".gitattributes", "* filter=evil\n");
    tree.write("src/add.ts", "x\n");
    const index = () => repo.read(".git/worktrees/letters/index").toString("hex");
    const before = index();
    await worktreeStatus(await repo.open(), path);
    expect([repo.exists("pwned"), index()]).toEqual([false, before]);
    expect((await worktreeStatus(opened, path)).branch).toBe("letters");
  });

  test("is refused without a .git, and has no branch if HEAD is detached", async () => {
    const { opened, path, tree } = await feature();
    tree.git("checkout", "--quiet", "--detach");
    expect((await worktreeStatus(opened, path)).branch).toBeNull();
    tree.remove(".git");
    await expect(worktreeStatus(opened, path)).rejects.toMatchObject({ code: "worktree_swapped" });
  });
});
