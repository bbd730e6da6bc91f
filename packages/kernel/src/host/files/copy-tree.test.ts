import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { copyTree, type CopyLimits } from "./copy-tree.ts";

const LIMITS: CopyLimits = { bytes: 1_000, entries: 10 };
let home: string;
const from = () => join(home, "from");
const to = () => join(home, "to");
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), "slipway-copy-")));
  for (const root of [from(), to()]) mkdirSync(root);
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function write(path: string, text: string, mode = 0o644, root = from()) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
  chmodSync(join(root, path), mode);
}
const copy = (path: string, limits: Partial<CopyLimits> = {}, skip?: (path: string) => boolean) =>
  copyTree(from(), to(), path, { ...LIMITS, ...limits }, skip);
const copied = (path: string) => readFileSync(join(to(), path), "utf8");

describe("a copy of a tree", () => {
  test("contains files, links and executables, without skipped paths and other kinds", () => {
    write("dist/a/one.js", "one", 0o600);
    write("dist/run", "#!/bin/sh", 0o777);
    write("dist/skipped/x", "x");
    symlinkSync("/etc/passwd", join(from(), "dist/link"));
    execFileSync("mkfifo", [join(from(), "dist/pipe")]);
    expect(copy("dist", {}, (path) => path === "dist/skipped")).toMatchObject({ files: 2, bytes: 12 });
    expect([copied("dist/a/one.js"), readlinkSync(join(to(), "dist/link"))]).toEqual(["one", "/etc/passwd"]);
    expect(["a/one.js", "run"].map((name) => (lstatSync(join(to(), "dist", name)).mode & 0o777).toString(8))).toEqual(["644", "755"]);
    expect(["dist/pipe", "dist/skipped"].map((name) => existsSync(join(to(), name)))).toEqual([false, false]);
  });

  test("replaces existing files and links, and never writes through them", () => {
    write("dist/a", "new");
    write("dist/b", "new");
    write("victim", "mine", 0o644, home);
    write("dist/a", "old", 0o444, to());
    symlinkSync(join(home, "victim"), join(to(), "dist/b"));
    copy("dist");
    expect([copied("dist/a"), copied("dist/b"), readFileSync(join(home, "victim"), "utf8")]).toEqual(["new", "new", "mine"]);
  });

  test("does not follow a folder that is a link, on either side", () => {
    write("secret/key", "key", 0o644, home);
    symlinkSync(join(home, "secret"), join(from(), "dist"));
    expect(copy("dist")).toMatchObject({ files: 0 });
    expect(lstatSync(join(to(), "dist")).isSymbolicLink()).toBe(true);
    expect(() => copy("dist/key")).toThrow();
    write("lib/key", "mine");
    symlinkSync(join(home, "secret"), join(to(), "lib"));
    expect(() => copy("lib")).toThrow();
    expect(readFileSync(join(home, "secret/key"), "utf8")).toBe("key");
  });

  test("of a missing path is null", () => {
    expect(copy("dist")).toBeNull();
    expect(copy("a/b/c")).toBeNull();
  });

  test("of too many files or bytes fails with the path it reached", () => {
    for (const name of ["a", "b", "c"]) write(`dist/${name}`, "12345");
    expect(() => copy("dist", { entries: 3 })).toThrow("more than 3 files, reached at dist/c");
    expect(() => copy("dist", { bytes: 14 })).toThrow("more than 14 bytes, reached at dist/c");
    expect(copy("dist", { entries: 4, bytes: 15 })).toMatchObject({ files: 3, bytes: 15 });
  });

  test("has a digest of contents, names, modes and links", () => {
    const digests = new Set<string | undefined>();
    const look = () => digests.add(copy("dist")?.digest).size;
    write("dist/a", "one");
    expect([look(), look()]).toEqual([1, 1]);
    write("dist/a", "two");
    expect(look()).toBe(2);
    chmodSync(join(from(), "dist/a"), 0o755);
    expect(look()).toBe(3);
    write("dist/b", "");
    expect(look()).toBe(4);
    rmSync(join(from(), "dist/b"));
    symlinkSync("a", join(from(), "dist/b"));
    expect(look()).toBe(5);
  });
});
