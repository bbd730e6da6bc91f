import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { applyTree } from "./apply-tree.ts";
import { judgePatch, type PatchToJudge } from "./patch.ts";
import type { Offence } from "./patch-rules.ts";
import { snapshotTree } from "./snapshot.ts";
import { at, contents, FILES, plainGit, scratch, temporaryFolder, treeContents, type Scratch } from "./testing/scratch.ts";
import { ensureWorktree } from "./worktree.ts";

const LIMITS = { maxBytes: 200_000, maxFiles: 20 };

async function judge(user: Scratch, patch: string | Uint8Array, limits: PatchToJudge["limits"] = LIMITS) {
  const repo = await user.open();
  const baseTree = user.git("rev-parse", "HEAD^{tree}");
  return judgePatch(repo, { baseTree, patch: Buffer.from(patch), limits });
}

async function offences(user: Scratch, patch: string | Uint8Array, limits: PatchToJudge["limits"] = LIMITS): Promise<readonly Offence[]> {
  const before = { status: user.git("status", "--porcelain"), refs: user.git("for-each-ref") };
  const error = await judge(user, patch, limits).then(
    ({ changes }) => expect.unreachable(`accepted ${JSON.stringify(changes)}`),
    (reason: unknown) => reason,
  );
  const { code, details } = error as { code: string; details: { offences: Offence[] } };
  expect(code).toBe(details.offences.some(({ rule }) => rule === "path_out_of_bounds") ? "path_out_of_bounds" : "patch_rejected");
  expect({ status: user.git("status", "--porcelain"), refs: user.git("for-each-ref") }).toEqual(before);
  expect(user.exists(".git/slipway/tmp") ? readdirSync(join(user.root, ".git/slipway/tmp")) : []).toEqual([]);
  return details.offences;
}

function adding(name: string, content = "hi\n", mode = "100644"): string {
  const lines = content.replace(/\n$/, "").split("\n");
  const quoted = (prefix: string) => (/[\\"\p{Cc}\u0080-\uffff]/u.test(name) ? `"${prefix}/${name}"` : `${prefix}/${name}`);
  const end = content.endsWith("\n") ? "" : "\\ No newline at end of file\n";
  return `diff --git ${quoted("a")} ${quoted("b")}\nnew file mode ${mode}\n--- /dev/null\n+++ ${quoted("b")}\n@@ -0,0 +1${lines.length === 1 ? "" : `,${lines.length}`} @@\n${lines.map((line) => `+${line}\n`).join("")}${end}`;
}

const CHANGE_README =
  "diff --git a/README.md b/README.md\n--- a/README.md\n+++ b/README.md\n@@ -1,3 +1,3 @@\n-# Demo\n+# Changed\n \n A small project.\n";

describe("an ordinary patch", () => {
  test("returns the tree, every change with modes, ids and sizes, and the flags", async () => {
    const user = scratch();
    const patch = [
      CHANGE_README,
      adding("bin/run", "#!/bin/sh\n", "100755"),
      adding("src/add.test.ts", "test\n"),
      adding("package-lock.json", "{}\n"),
      adding(".github/workflows/ci.yml", "on: push\n"),
      adding("slipway/gates.yaml", "x\n"),
      "diff --git a/src/add.ts b/src/add.ts\ndeleted file mode 100644\n--- a/src/add.ts\n+++ /dev/null\n@@ -1,3 +0,0 @@\n-export function add(a: number, b: number): number {\n-  return a + b;\n-}\n",
    ].join("");
    const { tree, changes, flags } = await judge(user, patch);
    expect(changes.map(({ status, path, bytes, binary }) => `${status} ${path} ${bytes} ${binary}`)).toEqual([
      "A .github/workflows/ci.yml 9 false",
      "M README.md 28 false",
      "A bin/run 10 false",
      "A package-lock.json 3 false",
      "A slipway/gates.yaml 2 false",
      "A src/add.test.ts 5 false",
      "D src/add.ts 0 false",
    ]);
    expect(flags).toEqual({
      executable: ["bin/run"],
      binary: [],
      lockfiles: ["package-lock.json"],
      testsTouched: ["src/add.test.ts"],
      continuousIntegration: [".github/workflows/ci.yml"],
      configuration: ["slipway/gates.yaml"],
    });
    expect(treeContents(user.root, tree)).toMatchObject({ "README.md": "- # Changed\n\nA small project.\n", "bin/run": "x #!/bin/sh\n" });
    expect(user.git("status", "--porcelain")).toBe("");
  });

  test("that does not apply is refused with git's message", async () => {
    const user = scratch();
    await expect(judge(user, CHANGE_README.replace("-# Demo", "-# Other"))).rejects.toMatchObject({
      code: "patch_apply_failed",
      message: expect.stringContaining("README.md"),
    });
    await expect(judge(user, "")).rejects.toMatchObject({ code: "patch_apply_failed" });
    await expect(judge(user, "no patch at all\n")).rejects.toMatchObject({ code: "patch_apply_failed" });
    await expect(judge(user, "--- a/README.md\n+++ b/README.md\n@@ -1,0 +2 @@\n+no context\n")).rejects.toMatchObject({
      code: "patch_apply_failed",
    });
  });

  test("default limits apply when none are given", async () => {
    const user = scratch();
    const repo = await user.open();
    expect(
      (await judgePatch(repo, { baseTree: user.git("rev-parse", "HEAD^{tree}"), patch: Buffer.from(CHANGE_README) })).changes,
    ).toHaveLength(1);
  });
});

describe("attacks on the patch", () => {
  test("attack 01: ../ is rejected", async () => {
    expect(await offences(scratch(), adding("../outside"))).toEqual([{ path: "../outside", rule: "path_out_of_bounds" }]);
    expect(await offences(scratch(), adding("src/../../outside"))).toMatchObject([{ rule: "path_out_of_bounds" }]);
    expect(await offences(scratch(), "--- /dev/null\n+++ b/../outside\n@@ -0,0 +1 @@\n+hi\n")).toMatchObject([
      { rule: "path_out_of_bounds" },
    ]);
  });

  test("attack 02: an absolute path is rejected", async () => {
    expect(await offences(scratch(), adding("/etc/outside"))).toMatchObject([{ rule: "path_out_of_bounds" }]);
    expect(await offences(scratch(), "--- /dev/null\n+++ /etc/outside\n@@ -0,0 +1 @@\n+hi\n")).toMatchObject([
      { rule: "path_out_of_bounds" },
    ]);
    expect(await offences(scratch(), "--- /etc/passwd\n+++ /etc/passwd\n@@ -1 +1 @@\n-a\n+b\n")).toMatchObject([
      { rule: "path_out_of_bounds" },
    ]);
    expect(await offences(scratch(), adding("C:/outside"))).toMatchObject([{ rule: "path_out_of_bounds" }]);
  });

  test("a removed line that looks like an absolute header is not a header", async () => {
    const user = scratch({ "query.sql": "-- /etc/passwd\nselect 1;\n" });
    expect((await judge(user, "--- a/query.sql\n+++ b/query.sql\n@@ -1,2 +1 @@\n--- /etc/passwd\n select 1;\n")).changes).toHaveLength(1);
  });

  test("attack 03: a C-quoted ..\\057 is rejected", async () => {
    expect(await offences(scratch(), adding("..\\057outside"))).toEqual([{ path: "../outside", rule: "path_out_of_bounds" }]);
  });

  test("attack 04: a second file hidden after prose is seen", async () => {
    const { changes } = await judge(
      scratch(),
      `${CHANGE_README}\nAnd that is all, thank you.\n-- \n2.39\n\n--- /dev/null\n+++ b/src/hidden.ts\n@@ -0,0 +1 @@\n+evil\n`,
    );
    expect(changes.map(({ path }) => path)).toEqual(["README.md", "src/hidden.ts"]);
  });

  test("attack 05: with a header that names another file, the real target is judged", async () => {
    const { changes } = await judge(
      scratch(),
      CHANGE_README.replace("diff --git a/README.md b/README.md", "diff --git a/docs/harmless.md b/docs/harmless.md"),
    );
    expect(changes.map(({ path }) => path)).toEqual(["README.md"]);
  });

  test("attack 06: a rename and a copy show both ends", async () => {
    const rename = "diff --git a/src/add.ts b/lib/sum.ts\nsimilarity index 100%\nrename from src/add.ts\nrename to lib/sum.ts\n";
    expect((await judge(scratch(), rename)).changes.map(({ status, path }) => `${status} ${path}`)).toEqual([
      "A lib/sum.ts",
      "D src/add.ts",
    ]);
    const copy = "diff --git a/src/add.ts b/lib/sum.ts\nsimilarity index 100%\ncopy from src/add.ts\ncopy to lib/sum.ts\n";
    expect((await judge(scratch(), copy)).changes.map(({ status, path }) => `${status} ${path}`)).toEqual(["A lib/sum.ts"]);
    const escape = rename.replaceAll("lib/sum.ts", ".git/hooks/post-checkout");
    expect(await offences(scratch(), escape)).toEqual([{ path: ".git/hooks/post-checkout", rule: "path_out_of_bounds" }]);
  });

  test("attack 07: a symbolic link, new, changed or made of a file, is rejected", async () => {
    expect(await offences(scratch(), adding("link", "/etc/passwd", "120000"))).toEqual([{ path: "link", rule: "symlink" }]);
    const user = scratch();
    user.link("old", "README.md");
    user.commit();
    const change =
      "diff --git a/old b/old\nindex 42061c0..3594e94 120000\n--- a/old\n+++ b/old\n@@ -1 +1 @@\n-README.md\n\\ No newline at end of file\n+/etc/passwd\n\\ No newline at end of file\n";
    expect(await offences(user, change)).toEqual([{ path: "old", rule: "symlink" }]);
    const retype =
      "diff --git a/README.md b/README.md\ndeleted file mode 100644\n--- a/README.md\n+++ /dev/null\n@@ -1,3 +0,0 @@\n-# Demo\n-\n-A small project.\n";
    expect(await offences(scratch(), retype + adding("README.md", "/etc/passwd", "120000"))).toEqual([
      { path: "README.md", rule: "symlink" },
    ]);
    const removal =
      "diff --git a/old b/old\ndeleted file mode 120000\n--- a/old\n+++ /dev/null\n@@ -1 +0,0 @@\n-README.md\n\\ No newline at end of file\n";
    expect((await judge(user, removal)).changes).toMatchObject([{ status: "D", path: "old" }]);
  });

  test("attack 08: a write through a new or existing link is rejected", async () => {
    expect(await offences(scratch(), adding("link", "/tmp", "120000") + adding("link/outside"))).toMatchObject([
      { path: "link/outside", rule: "path_out_of_bounds" },
    ]);
    const user = scratch();
    user.link("link", "/tmp");
    user.commit();
    expect(await offences(user, adding("link/outside"))).toEqual([{ path: "link/outside", rule: "path_out_of_bounds" }]);
  });

  test("attack 09: a submodule and .gitmodules are rejected", async () => {
    expect(await offences(scratch(), adding("sub", `Subproject commit ${"1".repeat(40)}\n`, "160000"))).toEqual([
      { path: "sub", rule: "submodule" },
    ]);
    for (const name of [".gitmodules", "deep/.gitmodules", ".GitModules", "GITMOD~1"]) {
      expect(await offences(scratch(), adding(name))).toEqual([{ path: name, rule: "submodule" }]);
    }
  });

  test.each([
    ".git/config",
    ".GIT/config",
    "sub/.Git/hooks/x",
    "git~1/config",
    ".git./x",
    ".git /x",
    ".git::$INDEX_ALLOCATION/x",
    ".g\\342\\200\\214it/config",
    "a\\\\.git\\\\x",
  ])("attack 10: %s is rejected", async (name) => {
    expect(await offences(scratch(), adding(name))).toMatchObject([{ rule: "path_out_of_bounds" }]);
  });

  test("attack 11: .gitattributes is rejected anywhere and in any spelling", async () => {
    for (const name of [".gitattributes", "src/.gitattributes", ".GITATTRIBUTES", "GITATT~1"]) {
      expect(await offences(scratch(), adding(name, "* filter=evil\n"))).toEqual([{ path: name, rule: "gitattributes" }]);
    }
  });

  test("attack 12: a new executable bit is flagged", async () => {
    const user = scratch();
    const { changes, flags } = await judge(user, "diff --git a/src/add.ts b/src/add.ts\nold mode 100644\nnew mode 100755\n");
    expect(changes).toMatchObject([{ path: "src/add.ts", status: "M", oldMode: "100644", newMode: "100755" }]);
    expect(flags.executable).toEqual(["src/add.ts"]);
  });

  test("attack 13: names that differ only by case or normal form are rejected, also of folders, in the whole tree", async () => {
    const user = scratch({ ...FILES, "docs/caf\u00e9.md": "x\n" });
    expect(await offences(user, adding("readme.md"))).toEqual([{ path: "readme.md", rule: "twin" }]);
    expect(await offences(user, adding("SRC/other.ts"))).toEqual([{ path: "SRC/other.ts", rule: "twin" }]);
    expect(await offences(user, adding("docs/cafe\\314\\201.md"))).toEqual([{ path: "docs/cafe\u0301.md", rule: "twin" }]);
    expect(await offences(user, adding("Same.txt") + adding("same.txt"))).toHaveLength(2);
    expect(await offences(user, adding("stra\\303\\237e") + adding("STRASSE"))).toHaveLength(2);
  });

  test("a rename that only changes case is allowed, and existing twins do not block other changes", async () => {
    const rename = "diff --git a/README.md b/readme.md\nsimilarity index 100%\nrename from README.md\nrename to readme.md\n";
    expect((await judge(scratch(), rename)).changes).toHaveLength(2);
    const user = scratch({ "Lib/a": "1\n", "lib/b": "2\n" });
    expect((await judge(user, adding("lib/c"))).changes).toHaveLength(1);
  });

  test.each([
    "x\\000y",
    "tab\\there",
    "line\\nbreak",
    "\\033[31mred",
    "del\\177",
    "c1\\302\\205",
    "rtl\\342\\200\\256txt.exe",
    "zero\\342\\200\\213width",
    "line\\342\\200\\250sep",
    "\\357\\273\\277bom",
    "back\\\\slash",
  ])("attack 14: the name %s is rejected", async (name) => {
    expect(await offences(scratch(), adding(name))).toMatchObject([{ rule: "unsafe_name" }]);
  });

  test("a file that exists keeps a name that no new file may have, and the reason is told", async () => {
    const user = scratch({ ...FILES, "src/aux.ts": "one\n", "src/a:b.txt": "one\n" });
    const changing = "--- a/src/aux.ts\n+++ b/src/aux.ts\n@@ -1 +1 @@\n-one\n+two\n";
    const deleting =
      "diff --git a/src/a:b.txt b/src/a:b.txt\ndeleted file mode 100644\n--- a/src/a:b.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n";
    const { changes } = await judge(user, changing + deleting);
    expect(changes.map(({ status, path }) => `${status} ${path}`)).toEqual(["D src/a:b.txt", "M src/aux.ts"]);
    await expect(judge(user, adding("src/nul"))).rejects.toThrow('"src/nul" has the name of a device on Windows (unportable_name)');
  });

  test("attack 14: a name that is not UTF-8 is rejected", async () => {
    expect(await offences(scratch(), adding("caf\\351"))).toMatchObject([{ rule: "not_utf8" }]);
  });

  test("attack 15: too many bytes or files are refused before git parses anything", async () => {
    const user = scratch();
    const repo = await user.open();
    const huge = Buffer.alloc(50_000_000, "x");
    await expect(
      judgePatch({ ...repo, vault: () => expect.unreachable("git was asked") }, { baseTree: "x", patch: huge, limits: LIMITS }),
    ).rejects.toMatchObject({
      code: "patch_rejected",
      details: { offences: [{ path: "", rule: "patch_too_large" }] },
    });
    const many = Array.from({ length: 21 }, (_, index) => adding(`f${index}`)).join("");
    expect(await offences(user, many)).toEqual([{ path: "", rule: "too_many_files" }]);
    const plain = Array.from({ length: 21 }, (_, index) => `--- /dev/null\n+++ b/f${index}\n@@ -0,0 +1 @@\n+hi\n`).join("");
    expect(await offences(user, plain)).toEqual([{ path: "", rule: "too_many_files" }]);
    expect(await offences(user, adding("big.txt", `${"x".repeat(99)}\n`.repeat(11)), { ...LIMITS, maxFileBytes: 1_000 })).toEqual([
      { path: "big.txt", rule: "file_too_large" },
    ]);
  });

  test("attack 16: a binary file is flagged, and its unpacked size is limited", async () => {
    const user = scratch({ ...FILES, "big.bin": noise(50_000) });
    const make = (bytes: Buffer, path = "data.bin") => {
      const other = at(join(temporaryFolder(), "other"));
      mkdirSync(other.root);
      plainGit(user.root, ["clone", "-q", user.root, other.root]);
      other.write(path, bytes);
      other.git("add", "-A");
      return plainGit(other.root, ["diff", "--cached", "--binary"]);
    };
    const { flags, changes } = await judge(user, make(Buffer.from([0, 1, 2, 3])));
    expect(flags.binary).toEqual(["data.bin"]);
    expect(changes).toMatchObject([{ bytes: 4, binary: true }]);
    const limits = { ...LIMITS, maxBinaryBytes: 100_000 };
    expect(await offences(user, make(Buffer.alloc(5_000_000)), limits)).toEqual([{ path: "", rule: "binary_too_large" }]);
    const grown = Buffer.concat([noise(50_000), Buffer.from("end")]);
    const delta = make(grown, "big.bin");
    expect(delta).toContain("\ndelta ");
    expect((await judge(user, delta, limits)).changes).toMatchObject([{ path: "big.bin", bytes: 50_003 }]);
    expect(await offences(user, delta, { ...LIMITS, maxBinaryBytes: 40_000 })).toEqual([{ path: "", rule: "binary_too_large" }]);
    expect(await offences(user, adding("text.txt", "a\n") + make(Buffer.from([0, 1])).replace(/^literal \d+$/m, "literal -1"))).toEqual([
      { path: "", rule: "binary_too_large" },
    ]);
  });

  test("attack 16: a binary file must come from a literal in the patch, or a delta from the old content of the same file", async () => {
    const user = scratch({ "big.bin": noise(5_000), "other.bin": noise(4_000) });
    const other = at(join(temporaryFolder(), "other"));
    plainGit(user.root, ["clone", "-q", user.root, other.root]);
    other.write("big.bin", Buffer.concat([noise(5_000), Buffer.from("end")]));
    other.git("mv", "other.bin", "moved.bin");
    other.write("moved.bin", Buffer.concat([Buffer.from("start"), noise(4_000)]));
    other.write("new.bin", Buffer.from([0, 1, 2]));
    other.git("add", "-A");
    const patch = plainGit(other.root, ["diff", "--cached", "--binary", "-M"]);
    expect(patch.match(/^(?:delta|rename from|literal 3) ?/gm)).toEqual([
      "delta ",
      "delta ",
      "rename from ",
      "delta ",
      "delta ",
      "literal 3",
    ]);
    const { tree } = await judge(user, patch);
    expect(tree).toBe(other.git("write-tree"));
    // The objects exist by now, as after a crash.
    expect((await judge(user, patch)).tree).toBe(tree);
    const foreign = user.git("rev-parse", "HEAD:other.bin");
    const [, id = ""] = /^index [0-9a-f]{40}\.\.([0-9a-f]{40}) 100644\nGIT binary patch\ndelta/m.exec(patch) ?? [];
    expect(await offences(user, patch.replaceAll(id, foreign))).toEqual([{ path: "big.bin", rule: "binary_without_data" }]);
  });

  test("attack 16: a delta that lies about its size is refused", async () => {
    const user = scratch({ "big.bin": Buffer.alloc(1_000, 7) });
    const forged = (delta: Buffer, size = delta.length) =>
      `diff --git a/big.bin b/big.bin\nindex ${"1".repeat(40)}..${"2".repeat(40)} 100644\nGIT binary patch\ndelta ${size}\n${base85(deflateSync(delta))}\n\n`;
    const bomb = Buffer.from([0xe8, 0x07, 0xff, 0xff, 0xff, 0xff, 0x7f]);
    for (const patch of [
      forged(bomb),
      forged(Buffer.from([0xe8])),
      forged(Buffer.alloc(0)),
      forged(bomb).replace(/\n[A-Za-z][^\n]*\n\n$/, "\nnothing packed"),
      `${forged(bomb).split("\ndelta")[0]}\ndelta 5`,
    ]) {
      expect(await offences(user, patch)).toEqual([{ path: "", rule: "binary_too_large" }]);
    }
  });

  test("attack 17: CRLF is applied byte for byte, and a patch with other line endings does not apply", async () => {
    const user = scratch({ "dos.txt": "one\r\ntwo\r\n", ".gitattributes": "* text=auto\n" });
    user.git("config", "core.autocrlf", "input");
    user.git("rm", "-q", "--cached", "dos.txt");
    const oid = plainGit(user.root, ["hash-object", "-w", "--no-filters", "dos.txt"]).trim();
    user.git("update-index", "--add", "--cacheinfo", `100644,${oid},dos.txt`);
    user.git("commit", "-qm", "bytes");
    const { tree } = await judge(user, "--- a/dos.txt\n+++ b/dos.txt\n@@ -1,2 +1,2 @@\n-one\r\n+1\r\n two\r\n");
    expect(treeContents(user.root, tree)["dos.txt"]).toBe("- 1\r\ntwo\r\n");
    await expect(judge(user, "--- a/dos.txt\n+++ b/dos.txt\n@@ -1,2 +1,2 @@\n-one\n+1\n two\n")).rejects.toMatchObject({
      code: "patch_apply_failed",
    });
  });

  test("the harness's own folders cannot be tracked", async () => {
    for (const name of [".slipway/slipway.db", ".Slipway/x", ".worktrees/login/x"])
      expect(await offences(scratch(), adding(name))).toEqual([{ path: name, rule: "state_directory" }]);
  });

  test("every offence is named, and a hostile name is escaped", async () => {
    const found = await judge(scratch(), adding(".gitmodules") + adding("rtl\\342\\200\\256x") + adding("link", "x", "120000")).catch(
      (error: unknown) => error,
    );
    expect(found).toMatchObject({ details: { offences: [{ rule: "submodule" }, { rule: "symlink" }, { rule: "unsafe_name" }] } });
    expect((found as Error).message).not.toContain("\u202e");
  });
});

describe("applyTree", () => {
  async function prepared() {
    const user = scratch({ ...FILES, "a/file": "a\n", b: "b\n" });
    const repo = await user.open();
    const { path } = await ensureWorktree(repo, {
      featureId: "login",
      branch: "login",
      baseRef: "main",
      path: join(user.root, ".worktrees/login"),
    });
    const from = user.git("rev-parse", "main^{tree}");
    const patch = [
      CHANGE_README,
      adding("dist/built.js", "1\n"),
      adding("bin/run", "x\n", "100755"),
      "diff --git a/b b/b\ndeleted file mode 100644\n--- a/b\n+++ /dev/null\n@@ -1 +0,0 @@\n-b\n",
      adding("b/inner", "x\n"),
    ].join("");
    const { tree: to } = await judgePatch(repo, { baseTree: from, patch: Buffer.from(patch), limits: LIMITS });
    return { user, repo, path, worktree: at(path), from, to };
  }

  test("changes the files, also ignored ones of the tree, and leaves other ignored files", async () => {
    const { user, repo, path, worktree, from, to } = await prepared();
    worktree.write("debug.log", "ignored\n");
    expect(await applyTree(repo, path, from, to)).toHaveLength(5);
    expect(contents(path)).toEqual({ ...treeContents(user.root, to), "debug.log": "- ignored\n" });
    expect(await snapshotTree(repo, path)).toBe(to);
    await applyTree(repo, path, from, to);
    await applyTree(repo, path, to, from);
    expect(contents(path)).toEqual({ ...treeContents(user.root, from), "debug.log": "- ignored\n" });
    expect(readdirSync(join(path, ".."))).toEqual(["login"]);
  });

  test("refuses a worktree that was changed in the meantime, without changing anything", async () => {
    const cases: Record<string, (worktree: Scratch) => void> = {
      "README.md": (worktree) => worktree.write("README.md", "edited\n"),
      "src/add.ts": (worktree) => worktree.write("src/add.ts", "not touched by the patch\n"),
      "new.txt": (worktree) => worktree.write("new.txt", "x"),
      "a/file": (worktree) => worktree.remove("a"),
      "bin/run": (worktree) => worktree.write("bin/run", "x\n"),
      "dist/built.js": (worktree) => worktree.write("dist/built.js", "another ignored file\n"),
      "dist/built.js ": (worktree) => {
        mkdirSync(join(worktree.root, "dist"));
        execFileSync("mkfifo", [join(worktree.root, "dist/built.js")]);
      },
      dist: (worktree) => worktree.write("dist", "a file where a folder is needed"),
    };
    for (const [name, change] of Object.entries(cases)) {
      const { repo, path, worktree, from, to } = await prepared();
      change(worktree);
      const before = contents(path);
      await expect(applyTree(repo, path, from, to)).rejects.toMatchObject({
        code: "worktree_changed",
        details: { paths: expect.arrayContaining([name.trim()]) },
      });
      expect(contents(path)).toEqual(before);
    }
  });

  test("completes what a kill interrupted", async () => {
    const { user, repo, path, worktree, from, to } = await prepared();
    worktree.write("README.md", "# Changed\n\nA small project.\n");
    worktree.remove("b");
    worktree.write("dist/built.js", "1\n");
    await applyTree(repo, path, from, to);
    expect(contents(path)).toEqual(treeContents(user.root, to));
  });

  test("an ignored link on the way is not written through", async () => {
    const { repo, path, worktree, from, to } = await prepared();
    const outside = temporaryFolder();
    worktree.link("dist", outside);
    await expect(applyTree(repo, path, from, to)).rejects.toMatchObject({ code: "worktree_changed" });
    expect(readdirSync(outside)).toEqual([]);
  });

  test("an input/output failure half-way is undone", async () => {
    const { repo, path, from, to } = await prepared();
    const before = contents(path);
    // An immutable folder fails also for root, if the file system supports the flag.
    execFileSync("mkdir", [join(path, "bin")]);
    const made = tryImmutable(join(path, "bin"), true);
    if (!made) chmodSync(join(path, "bin"), 0o555);
    try {
      if (made || process.getuid?.() !== 0)
        await expect(applyTree(repo, path, from, to)).rejects.toMatchObject({ code: expect.stringMatching(/EPERM|EACCES/) });
    } finally {
      tryImmutable(join(path, "bin"), false);
    }
    if (made || process.getuid?.() !== 0) {
      rmSync(join(path, "bin"), { recursive: true });
      expect(contents(path)).toEqual(before);
    }
  });
});

describe("property", () => {
  const name = fc.constantFrom(
    "README.md",
    "src/add.ts",
    "src/index.ts",
    "docs/new.md",
    "lib/deep/er.ts",
    "data",
    "src/sp ace.txt",
    "ünïcode.txt",
  );
  const content = fc
    .array(fc.constantFrom("alpha", "beta", "gamma", "\tdelta", "  epsilon", "crlf\r", "", "- minus", "+ plus", "@@ -1 +1 @@"), {
      minLength: 0,
      maxLength: 12,
    })
    .map((lines) => lines.map((line) => `${line}\n`).join(""));
  const edit = fc.record({
    path: name,
    content: fc.oneof(
      content,
      fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
    ),
    action: fc.constantFrom("write", "write", "write", "delete", "executable"),
  });

  test("judgePatch returns the tree that plain git makes in a scratch clone, for any ordinary edit", { timeout: 120_000 }, async () => {
    const user = scratch();
    const repo = await user.open();
    const clone = at(join(temporaryFolder(), "clone"));
    plainGit(user.root, ["clone", "-q", user.root, clone.root]);
    const baseTree = user.git("rev-parse", "HEAD^{tree}");
    await fc.assert(
      fc.asyncProperty(fc.array(edit, { minLength: 1, maxLength: 5 }), fc.boolean(), async (edits, renames) => {
        for (const path of readdirSync(clone.root)) if (path !== ".git") clone.remove(path);
        for (const [path, content] of Object.entries(FILES)) clone.write(path, content);
        for (const { path, content, action } of edits) {
          if (action === "delete") clone.remove(path);
          else clone.write(path, content, action === "executable" ? 0o755 : 0o644);
        }
        clone.git("add", "-A");
        const patch = execFileSync("git", ["diff", "--cached", "--binary", ...(renames ? ["-M30%", "-C30%"] : ["--no-renames"])], {
          cwd: clone.root,
        });
        fc.pre(patch.length > 0);
        const judged = await judgePatch(repo, { baseTree, patch, limits: LIMITS });
        clone.git("read-tree", "HEAD");
        plainGit(clone.root, ["apply", "--cached", "--whitespace=nowarn", "-"], patch);
        expect(judged.tree).toBe(clone.git("write-tree"));
      }),
      { numRuns: 100 },
    );
  });
});

/** Incompressible, and binary to git. */
function noise(length: number): Buffer {
  let state = 1;
  return Buffer.from(Array.from({ length }, () => (state = (state * 48_271) % 2_147_483_647) & 0xff));
}

function tryImmutable(path: string, on: boolean): boolean {
  try {
    execFileSync("chattr", [on ? "+i" : "-i", path], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

function base85(bytes: Buffer): string {
  const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";
  const lines: string[] = [];
  for (let start = 0; start < bytes.length; start += 52) {
    const chunk = bytes.subarray(start, start + 52);
    const padded = Buffer.concat([chunk, Buffer.alloc((4 - (chunk.length % 4)) % 4)]);
    let line = String.fromCharCode(chunk.length <= 26 ? 64 + chunk.length : 96 + chunk.length - 26);
    for (let position = 0; position < padded.length; position += 4) {
      let word = padded.readUInt32BE(position);
      let text = "";
      for (let digit = 0; digit < 5; digit++) {
        text = (alphabet[word % 85] ?? "") + text;
        word = Math.floor(word / 85);
      }
      line += text;
    }
    lines.push(line);
  }
  return lines.join("\n");
}
