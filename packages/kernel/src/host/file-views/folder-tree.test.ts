import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import type { FileTree } from "./file-tree.ts";
import { folderTree } from "./folder-tree.ts";
import { refusalOf, textOf, treeYard, type Yard } from "./testing/yard.ts";

let yard: Yard;
let tree: FileTree;
beforeEach(async () => {
  yard = await treeYard({ "a/one.txt": "alpha\nbeta\n", "a/b/two.txt": "alpha\n", "c.txt": "gamma\n" });
  tree = folderTree({ ...yard, executable: (path) => path.endsWith(".sh") });
});

test("reads, writes, edits and removes files", async () => {
  expect(textOf(await tree.read("a/one.txt"))).toBe("alpha\nbeta\n");
  await tree.write("new/deep/x.sh", Buffer.from("x"));
  expect(statSync(join(yard.folder, "new/deep/x.sh")).mode & 0o100).toBe(0o100);
  await tree.edit("a/one.txt", "beta", "delta");
  expect(readFileSync(join(yard.folder, "a/one.txt"), "utf8")).toBe("alpha\ndelta\n");
  await tree.remove("c.txt");
  expect(existsSync(join(yard.folder, "c.txt"))).toBe(false);
});

test("lists, finds and searches, optionally below one or several folders", async () => {
  expect((await tree.ls("")).map(({ path, kind }) => `${path} ${kind}`)).toEqual(["a folder", "c.txt file"]);
  expect(await tree.glob("./**/*.txt")).toEqual(["a/b/two.txt", "a/one.txt", "c.txt"]);
  expect(await tree.glob("**/*.txt", { under: "a/b" })).toEqual(["a/b/two.txt"]);
  expect((await tree.grep("alpha|gamma")).map(({ path }) => path).toSorted()).toEqual(["a/b/two.txt", "a/one.txt", "c.txt"]);
  expect((await tree.grep("a", { path: ["a/b", "c.txt", "not-there"] })).map(({ path }) => path).toSorted()).toEqual([
    "a/b/two.txt",
    "c.txt",
  ]);
  expect(await tree.grep("a", { path: [] })).toEqual([]);
  expect(await tree.grep("a", { limit: 1 })).toHaveLength(1);
  expect(await refusalOf(() => tree.grep("("))).toMatchObject({ code: "schema_validation_failed" });
});

test.each([
  ["missing", (at: FileTree) => at.read("a/none"), "input_path_not_found"],
  ["a folder", (at: FileTree) => at.read("a"), "input_path_not_found"],
  ["upwards", (at: FileTree) => at.read("a/../../x"), "path_out_of_bounds"],
  ["absolute", (at: FileTree) => at.write("/etc/x", new Uint8Array()), "path_out_of_bounds"],
  ["through a file", (at: FileTree) => at.ls("c.txt/x"), "path_out_of_bounds"],
  ["a folder removed", (at: FileTree) => at.remove("a"), "input_path_not_found"],
  ["missing removed", (at: FileTree) => at.remove("x"), "input_path_not_found"],
  ["no such folder", (at: FileTree) => at.ls("x"), "input_path_not_found"],
  ["written over a folder", (at: FileTree) => at.write("a", new Uint8Array()), "input_path_not_found"],
  ["edit of missing text", (at: FileTree) => at.edit("a/one.txt", "nothing", "x"), "patch_rejected"],
  ["edit of an empty text", (at: FileTree) => at.edit("a/one.txt", "", "x"), "patch_rejected"],
  ["edit of a text that occurs twice", (at: FileTree) => at.edit("a/one.txt", "a", "x"), "patch_rejected"],
])("%s is refused", async (_, run, code) => {
  expect((await refusalOf(() => run(tree))).code).toBe(code);
});

test("follows no link, waits for no pipe, edits no binary and reads no file that is too large", async () => {
  symlinkSync("/etc/passwd", join(yard.folder, "link"));
  symlinkSync("/etc", join(yard.folder, "folder-link"));
  execFileSync("mkfifo", [join(yard.folder, "pipe")]);
  yard.put("binary", "");
  await tree.write("binary", Uint8Array.of(255, 0));
  execFileSync("truncate", ["-s", String(64 * 1024 ** 2 + 1), join(yard.folder, "large")]);
  expect((await refusalOf(() => tree.read("link"))).code).toBe("path_out_of_bounds");
  expect((await refusalOf(() => tree.read("folder-link/passwd"))).code).toBe("path_out_of_bounds");
  expect((await refusalOf(() => tree.read("pipe"))).message).toMatch(/not a file/);
  expect((await refusalOf(() => tree.edit("binary", "x", "y"))).message).toMatch(/not text/);
  expect((await refusalOf(() => tree.read("large"))).message).toMatch(/too large/);
  expect((await tree.ls(".")).map(({ path }) => path)).toEqual(["a", "binary", "c.txt", "large"]);
});
