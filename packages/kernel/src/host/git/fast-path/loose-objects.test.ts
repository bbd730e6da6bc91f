import { chmodSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { newObject, writeObjects } from "./loose-objects.ts";
import { plainGit, scratch } from "../testing/scratch.ts";

const who = "Ada <ada@example.org> 1 +0000";

describe.each([
  ["sha1", [] as string[]],
  ["sha256", ["--object-format=sha256"]],
])("an object of a repository with %s", (algorithm, options) => {
  test("is the same as git's own, and git reads it", async () => {
    const user = scratch({ "a.txt": "one\n" }, options);
    const repo = await user.open();
    const text = `tree ${user.git("rev-parse", "HEAD^{tree}")}\nauthor ${who}\ncommitter ${who}\n\nhello\n`;
    const commit = newObject("commit", Buffer.from(text), algorithm);
    expect(plainGit(user.root, ["hash-object", "-t", "commit", "--stdin"], text).trim()).toBe(commit.oid);
    await Promise.all([writeObjects(repo, [commit]), writeObjects(repo, [commit])]);
    await writeObjects(repo, [commit]);
    expect(user.git("log", "-1", "--format=%s|%ae", commit.oid)).toBe("hello|ada@example.org");
    expect(user.git("fsck", "--strict", "--no-dangling")).toBe("");
    const folder = join(user.root, ".git/objects", commit.oid.slice(0, 2));
    expect(readdirSync(folder).filter((name) => name.startsWith("tmp_obj"))).toEqual([]);
    expect(statSync(join(folder, commit.oid.slice(2))).mode & 0o777).toBe(0o444);
  });
});

test("a new folder of objects has the mode of its parent", async () => {
  const user = scratch();
  const repo = await user.open();
  const objects = join(user.root, ".git/objects");
  chmodSync(objects, 0o2775);
  const tree = newObject("tree", Buffer.alloc(0), "sha1");
  rmSync(join(objects, tree.oid.slice(0, 2)), { recursive: true, force: true });
  await writeObjects(repo, [tree]);
  expect(statSync(join(objects, tree.oid.slice(0, 2))).mode & 0o7777).toBe(0o2775);
});

test("a failed write is an error that names the file, and leaves nothing behind", async () => {
  const user = scratch();
  const repo = await user.open();
  const tree = newObject("tree", Buffer.alloc(0), "sha1");
  const folder = join(user.root, ".git/objects", tree.oid.slice(0, 2));
  rmSync(folder, { recursive: true, force: true });
  writeFileSync(folder, "in the way");
  await expect(writeObjects(repo, [tree])).rejects.toMatchObject({ code: "io_error", details: { file: join(folder, tree.oid.slice(2)) } });
});
