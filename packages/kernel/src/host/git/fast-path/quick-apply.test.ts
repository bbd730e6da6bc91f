import { execFileSync, spawn } from "node:child_process";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { parseIndex } from "./index-file.ts";
import { judgePatch } from "../patch.ts";
import type { Repository } from "../repository.ts";
import { prestartedPool, waitingProcesses } from "./prestarted-git.ts";
import { plainGit, scratch, type Scratch } from "../testing/scratch.ts";
import { editsBetween, editTree } from "./tree-edit.ts";

const FILES = { "a.txt": "one\n", "b.txt": "one\n", "src/c.txt": "one\n", "src/deep/d.txt": "one\n", "e/f/g.txt": "one\n" };
const PATHS = ["a.txt", "a", "a-b", "a/b", "a0", "src", "src/c.txt", "src/deep", "src/deep/d.txt", "src/é", "e/f/g.txt", "e/f", "z"];

let user: Scratch;
let repo: Repository;
let blobs: readonly string[];
beforeAll(async () => {
  user = scratch(FILES);
  repo = await user.open();
  blobs = ["one\n", "two\n"].map((text) => plainGit(user.root, ["hash-object", "-w", "--stdin"], text).trim());
});

interface File {
  readonly path: string;
  readonly blob: number;
  readonly mode: string;
}

/** Any set of files that can exist together. */
const files = fc
  .uniqueArray(fc.record({ path: fc.constantFrom(...PATHS), blob: fc.nat(1), mode: fc.constantFrom("100644", "100755", "120000") }), {
    selector: ({ path }) => path,
    minLength: 1,
    maxLength: 6,
  })
  .map((all): File[] => all.filter(({ path }) => !all.some((other) => other.path.startsWith(`${path}/`))));

function indexOf(all: readonly File[], version = 2): { tree: string; bytes: Buffer; listed: string } {
  const file = join(user.root, ".git", "index-of-a-test");
  rmSync(file, { force: true });
  const git = (args: string[], input = "") =>
    execFileSync("git", args, { cwd: user.root, env: { PATH: process.env["PATH"], GIT_INDEX_FILE: file }, input, encoding: "utf8" });
  git(
    ["update-index", "--index-version", String(version), "-z", "--index-info"],
    all.map(({ path, blob, mode }) => `${mode} ${blobs[blob]} 0\t${path}\0`).join(""),
  );
  return { tree: git(["write-tree"]).trim(), bytes: readFileSync(file), listed: git(["ls-files", "-z", "--stage"]) };
}

describe("an index file", () => {
  test("is read like git reads it", () => {
    fc.assert(
      fc.property(files, (all) => {
        const { bytes, listed } = indexOf(all);
        const read = [...(parseIndex(bytes, "sha1") ?? [])].map(([path, { mode, oid }]) => `${mode} ${oid} 0\t${path}\0`);
        expect(read.join("")).toBe(listed);
      }),
      { numRuns: 30 },
    );
  });

  test("of another format, torn, or with conflicts is left to git", () => {
    const { bytes } = indexOf([{ path: "a", blob: 0, mode: "100644" }]);
    expect(parseIndex(indexOf([{ path: "a", blob: 0, mode: "100644" }], 4).bytes, "sha1")).toBeNull();
    for (const torn of [Buffer.alloc(0), Buffer.from("no index at all"), bytes.subarray(0, 70)])
      expect(parseIndex(torn, "sha1")).toBeNull();
    const conflict = Buffer.from(bytes);
    conflict.writeUInt16BE(0x1001, 12 + 60);
    expect(parseIndex(conflict, "sha1")).toBeNull();
  });
});

test("an edited tree is the tree that git writes", async () => {
  await fc.assert(
    fc.asyncProperty(files, files, async (before, after) => {
      const [old, next] = [indexOf(before), indexOf(after)];
      const edits = editsBetween(parseIndex(old.bytes, "sha1") ?? new Map(), parseIndex(next.bytes, "sha1") ?? new Map());
      expect((await editTree(repo, old.tree, edits))?.tree).toBe(next.tree);
      const fresh = await editTree(repo, null, editsBetween(new Map(), parseIndex(next.bytes, "sha1") ?? new Map()));
      expect(fresh?.tree).toBe(next.tree);
    }),
    { numRuns: 25 },
  );
  const all = new Map([["a", null]]);
  expect(await editTree(repo, indexOf([{ path: "a", blob: 0, mode: "100644" }]).tree, all)).toBeNull();
});

describe("a patch with an index of the base", () => {
  const edit = (path: string, from = "one", to = "two") =>
    `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-${from}\n+${to}\n`;
  const remove = (path: string) =>
    `diff --git a/${path} b/${path}\ndeleted file mode 100644\n--- a/${path}\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n`;
  const add = (path: string, mode = "100644") =>
    `diff --git a/${path} b/${path}\nnew file mode ${mode}\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+new\n`;

  const known = async (indexFile = "index-that-holds-the-base") => {
    const baseTree = user.git("rev-parse", "HEAD^{tree}");
    const file = join(user.root, ".git", indexFile);
    execFileSync("git", ["read-tree", baseTree], { cwd: user.root, env: { PATH: process.env["PATH"], GIT_INDEX_FILE: file } });
    return { baseTree, known: { worktree: user.root, indexFile: file, paths: Object.keys(FILES).toSorted() } };
  };
  const verdict = (asked: Parameters<typeof judgePatch>[1]) =>
    judgePatch(repo, asked).then(
      ({ tree, changes, flags }) => ({ tree, flags, changes: changes.map(({ bytes: _bytes, ...change }) => change) }),
      ({ code, details }: { code: string; details: { offences?: unknown } }) => ({ code, offences: details.offences }),
    );

  test.each([
    ["a change", edit("a.txt")],
    ["several, in several folders", edit("a.txt") + edit("src/deep/d.txt") + edit("e/f/g.txt")],
    ["a new file in a new folder", add("new/er/file.txt", "100755")],
    ["the last file of a folder removed", remove("e/f/g.txt")],
    ["a folder where a file was", remove("a.txt") + add("a.txt/inside")],
    ["a file where a folder was", remove("src/deep/d.txt") + add("src/deep")],
    ["everything gone", Object.keys(FILES).map(remove).join("")],
    ["a rename", "diff --git a/a.txt b/moved.txt\nsimilarity index 100%\nrename from a.txt\nrename to moved.txt\n"],
    ["a mode", "diff --git a/a.txt b/a.txt\nold mode 100644\nnew mode 100755\n"],
    ["no change in the end", edit("a.txt", "one", "one")],
    ["one that does not apply", edit("a.txt", "nine")],
    ["one that leaves the tree", add("../x")],
    ["a twin", add("A.txt")],
    ["a link", add("link", "120000")],
    ["no patch at all", "hello\n"],
  ])("%s is judged as without the index", async (_what, text) => {
    const { baseTree, known: beside } = await known();
    const patch = Buffer.from(text);
    expect(await verdict({ baseTree, patch, known: beside })).toEqual(await verdict({ baseTree, patch }));
  });

  test("an index of another tree, or an invalid one, does not change the verdict", async () => {
    const { baseTree, known: beside } = await known("index-of-a-liar");
    const patch = Buffer.from(edit("a.txt"));
    const truth = await verdict({ baseTree, patch });
    execFileSync("git", ["read-tree", indexOf([{ path: "a.txt", blob: 0, mode: "100644" }]).tree], {
      cwd: user.root,
      env: { PATH: process.env["PATH"], GIT_INDEX_FILE: beside.indexFile },
    });
    expect(await verdict({ baseTree, patch, known: beside })).toEqual(truth);
    writeFileSync(beside.indexFile, "torn");
    expect(await verdict({ baseTree, patch, known: beside })).toEqual(truth);
  });

  test("prestarts the next process, which ends without leftovers if it is not used", async () => {
    const { baseTree, known: beside } = await known();
    const folder = join(user.root, ".git/slipway/tmp");
    await expect.poll(() => readdirSync(folder).length, { timeout: 10_000 }).toBe(0);
    await judgePatch(repo, { baseTree, patch: Buffer.from(edit("a.txt")), known: beside });
    await expect.poll(() => readdirSync(folder).length, { timeout: 10_000 }).toBe(1);
    expect(await verdict({ baseTree, patch: Buffer.from(edit("b.txt")), known: beside })).toMatchObject({ changes: [{ path: "b.txt" }] });
    await expect.poll(() => readdirSync(folder).length, { timeout: 10_000 }).toBe(0);
  });
});

describe("a prestarted process", () => {
  const start = async () => ({ child: spawn("cat", [], { detached: true }), own: "mine" });

  test("is available after a refill, is used once, and ends when idle", async () => {
    const dropped: string[] = [];
    const waiting = prestartedPool(start, (own) => dropped.push(own));
    expect(waiting.take()).toBeNull();
    for (let time = 0; time < 3; time++) waiting.refill();
    let taken: ReturnType<typeof waiting.take> = null;
    await expect.poll(() => (taken = waiting.take()), { timeout: 10_000 }).not.toBeNull();
    const pid = (taken as { child: { pid: number } } | null)?.child.pid ?? 0;
    expect(waitingProcesses.has(pid)).toBe(false);
    expect(waiting.take()).toBeNull();
    process.kill(pid);
    waiting.refill();
    await expect.poll(() => dropped, { timeout: 10_000 }).toEqual(["mine"]);
    expect(waiting.take()).toBeNull();
  });

  test("is not returned if it died while waiting", async () => {
    const dropped: string[] = [];
    const waiting = prestartedPool(
      async () => {
        const prestarted = await start();
        process.kill(prestarted.child.pid ?? 0, "SIGKILL");
        return prestarted;
      },
      (own) => dropped.push(own),
    );
    waiting.refill();
    await expect.poll(() => dropped, { timeout: 10_000 }).toEqual(["mine"]);
    expect(waiting.take()).toBeNull();
  });

  test("is null if it cannot be started", async () => {
    let tried = false;
    const waiting = prestartedPool<string>(
      () => {
        tried = true;
        return Promise.reject(new Error("no"));
      },
      () => undefined,
    );
    waiting.refill();
    await expect.poll(() => tried, { timeout: 10_000 }).toBe(true);
    expect(waiting.take()).toBeNull();
  });
});
