import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { inFolderOf } from "./beneath.ts";
import { removeBeneath, removeTree, removeTreeNow, removeWithin } from "./remove-tree.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "slipway-remove-"));
  onTestFinished(() => removeTreeNow(folder));
});

const shell = (script: string) => execFileSync("sh", ["-c", script], { cwd: folder, stdio: "pipe" });

test("a folder deeper than PATH_MAX is removed", async () => {
  const script =
    'for (let i = 0; i < 600; i++) { fs.mkdirSync("a".repeat(20)); process.chdir("a".repeat(20)); fs.writeFileSync("f", ""); }';
  mkdirSync(join(folder, "top"));
  execFileSync(process.execPath, ["--eval", script], { cwd: join(folder, "top") });
  await removeTree(join(folder, "top"));
  expect(readdirSync(folder)).toEqual([]);
});

test("a deep folder is removed by a process that may open few files", () => {
  mkdirSync(join(folder, "top", ...Array.from({ length: 100 }, () => "a")), { recursive: true });
  const script = `import { removeTreeNow } from ${JSON.stringify(join(import.meta.dirname, "remove-tree.ts"))}; removeTreeNow("top");`;
  const limited = 'ulimit -n 90; exec "$0" --conditions=slipway-source --input-type=module --eval "$1"';
  execFileSync("sh", ["-c", limited, process.execPath, script], { cwd: folder, stdio: "pipe" });
  expect(readdirSync(folder)).toEqual([]);
});

test("names that are not UTF-8 are removed", () => {
  shell(`mkdir top && mkdir "top/$(printf 'd\\377')" && : > "top/$(printf 'd\\377/f\\376')"`);
  removeTreeNow(join(folder, "top"));
  expect(readdirSync(folder)).toEqual([]);
});

test("folders without permissions are removed by a non-root user", () => {
  shell("mkdir -p top/a/b && : > top/a/b/f && chmod 000 top/a/b top/a && chmod 500 top");
  const script = `import { removeTreeNow } from ${JSON.stringify(join(import.meta.dirname, "remove-tree.ts"))}; removeTreeNow(${JSON.stringify(join(folder, "top"))});`;
  chmodSync(folder, 0o777);
  if (process.getuid?.() === 0) execFileSync("chown", ["-R", "4242:4242", folder]);
  const identity = process.getuid?.() === 0 ? { uid: 4242, gid: 4242 } : {};
  execFileSync(process.execPath, ["--conditions=slipway-source", "--input-type=module", "--eval", script], { stdio: "pipe", ...identity });
  expect(readdirSync(folder)).toEqual([]);
});

test("a link is removed, and its target stays", async () => {
  mkdirSync(join(folder, "outside"));
  writeFileSync(join(folder, "outside/kept"), "kept");
  mkdirSync(join(folder, "top"));
  symlinkSync(join(folder, "outside"), join(folder, "top/link"));
  await removeTree(join(folder, "top"));
  expect(readdirSync(folder)).toEqual(["outside"]);
  symlinkSync("outside", join(folder, "link"));
  await removeTree(join(folder, "link"));
  expect(readFileSync(join(folder, "outside/kept"), "utf8")).toBe("kept");
});

test("what cannot be removed within a time is left, and said", async () => {
  // A name that no file can have.
  expect(await removeWithin(join(folder, "x".repeat(300)), 1_000)).toBe(false);
  mkdirSync(join(folder, "top"));
  expect(await removeWithin(join(folder, "top"), 10_000)).toBe(true);
});

test("below a root, only a missing path is no error", () => {
  writeFileSync(join(folder, "file"), "");
  expect(() => removeBeneath(folder, `${"x".repeat(300)}/a`)).toThrow("ENAMETOOLONG");
  expect(() => removeBeneath(folder, "file/a")).toThrow(/symbolic link/);
});

test("a missing path is not an error", async () => {
  await removeTree(join(folder, "missing"));
  removeBeneath(folder, "missing/too");
});

test("below a root, a parent folder that was replaced by a link is not entered", () => {
  mkdirSync(join(folder, "root/a"), { recursive: true });
  mkdirSync(join(folder, "outside"));
  writeFileSync(join(folder, "outside/f"), "kept");
  renameSync(join(folder, "root/a"), join(folder, "root/b"));
  symlinkSync(join(folder, "outside"), join(folder, "root/a"));
  expect(() => removeBeneath(join(folder, "root"), "a/f")).toThrow(/symbolic link/);
  expect(() => inFolderOf(join(folder, "root"), "a/g", (file) => writeFileSync(file, "x"), { make: true })).toThrow(/symbolic link/);
  expect(readdirSync(join(folder, "outside"))).toEqual(["f"]);
  expect(existsSync(join(folder, "root/b"))).toBe(true);
});
