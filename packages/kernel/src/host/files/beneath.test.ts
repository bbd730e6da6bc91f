import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { hasDescriptors, inFolderOf, inFolderOfBytes, openFolder } from "./beneath.ts";
import { removeTreeNow } from "./remove-tree.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "slipway-beneath-"));
  onTestFinished(() => removeTreeNow(folder));
});
const NO_DESCRIPTORS = "only Linux opens a path relative to a descriptor";
const openFiles = () => readdirSync("/proc/self/fd").length;

describe("a path below a root", () => {
  test("leads through every folder of it, and missing ones are made only if wanted", () => {
    const write = (file: string) => writeFileSync(file, "x");
    expect(() => inFolderOf(folder, "a/b/c/file", write)).toThrow("ENOENT");
    inFolderOf(folder, "a/b/c/file", write, { make: true });
    inFolderOf(folder, "a/b/other", write);
    inFolderOf(folder, "top", write);
    expect(readdirSync(folder, { recursive: true }).toSorted()).toEqual(["a", "a/b", "a/b/c", "a/b/c/file", "a/b/other", "top"]);
  });

  test("may have names that are not UTF-8", () => {
    const name = Buffer.from([0x64, 0xff]);
    inFolderOfBytes(folder, Buffer.concat([name, Buffer.from("/file")]), (file) => writeFileSync(file, "x"), { make: true });
    expect(readdirSync(folder, { encoding: "buffer" })).toEqual([name]);
    expect(readdirSync(Buffer.concat([Buffer.from(`${folder}/`), name]))).toEqual(["file"]);
  });

  test.each(["link/file", "a/link/file", "a/link/deeper/file"])("does not lead out through a link (%s)", (path) => {
    for (const name of ["outside/deeper", "root/a"]) mkdirSync(join(folder, name), { recursive: true });
    for (const name of ["root/link", "root/a/link"]) symlinkSync(join(folder, "outside"), join(folder, name));
    const write = () => inFolderOf(join(folder, "root"), path, (file) => writeFileSync(file, "x"), { make: true });
    expect(write).toThrow(expect.objectContaining({ code: "path_out_of_bounds" }));
    expect(readdirSync(join(folder, "outside"), { recursive: true })).toEqual(["deeper"]);
  });

  test("does not lead through a file, and another error is told as it is", () => {
    writeFileSync(join(folder, "file"), "");
    expect(() => inFolderOf(folder, "file/x", () => undefined)).toThrow(expect.objectContaining({ code: "path_out_of_bounds" }));
    expect(() =>
      inFolderOf(folder, "x", () => {
        throw new Error("the disk is full");
      }),
    ).toThrow("the disk is full");
  });

  test("leads to the folder that was opened, even if a link has taken its place since", ({ skip }) => {
    skip(!hasDescriptors(), NO_DESCRIPTORS);
    mkdirSync(join(folder, "a"));
    mkdirSync(join(folder, "outside"));
    inFolderOf(folder, "a/file", (file) => {
      renameSync(join(folder, "a"), join(folder, "moved"));
      symlinkSync(join(folder, "outside"), join(folder, "a"));
      writeFileSync(file, "x");
    });
    expect(readFileSync(join(folder, "moved/file"), "utf8")).toBe("x");
    expect(existsSync(join(folder, "outside/file"))).toBe(false);
  });

  test("leaves no file open, however it ends", ({ skip }) => {
    skip(!hasDescriptors(), NO_DESCRIPTORS);
    mkdirSync(join(folder, "a/b"), { recursive: true });
    symlinkSync(folder, join(folder, "a/link"));
    const before = openFiles();
    inFolderOf(folder, "a/b/c", () => expect(openFiles()).toBeGreaterThan(before));
    expect(() => inFolderOf(folder, "a/link/c", () => undefined)).toThrow();
    expect(() => inFolderOf(folder, "a/none/c", () => undefined)).toThrow();
    expect(openFiles()).toBe(before);
  });
});

test("a link is not opened as a folder, and a file is none", () => {
  mkdirSync(join(folder, "a"));
  symlinkSync(join(folder, "a"), join(folder, "link"));
  writeFileSync(join(folder, "file"), "");
  expect(() => openFolder(join(folder, "link"))).toThrow(/ELOOP|ENOTDIR/);
  expect(() => openFolder(join(folder, "file"))).toThrow("ENOTDIR");
});

/** As another user, if this one is root: root enters every folder. */
function asUser(script: string): string[] {
  const source = `
    import { chmodSync, existsSync, mkdirSync, readdirSync, rmdirSync, statSync, writeFileSync } from "node:fs";
    import { inFolderOf, openClosedFolder } from ${JSON.stringify(join(import.meta.dirname, "beneath.ts"))};
    const modeOf = (path) => (statSync(path).mode & 0o777).toString(8);
    ${script}`;
  chmodSync(folder, 0o777);
  const identity = process.getuid?.() === 0 ? { uid: 4242, gid: 4242 } : {};
  const args = ["--conditions=slipway-source", "--disable-warning=ExperimentalWarning", "--input-type=module", "--eval", source];
  // Without FORCE_COLOR, which colours numbers.
  return execFileSync(process.execPath, args, { cwd: folder, encoding: "utf8", env: {}, ...identity })
    .trim()
    .split("\n");
}

test("folders without permissions are opened by a non-root user, and leave no file open", ({ skip }) => {
  skip(!hasDescriptors(), NO_DESCRIPTORS);
  const said = asUser(`
    const open = () => readdirSync("/proc/self/fd").length;
    for (const mode of [0o000, 0o500, 0o300]) {
      mkdirSync("closed");
      chmodSync("closed", mode);
      const before = open();
      { using folder = openClosedFolder("closed"); readdirSync(folder.place); }
      console.log(mode.toString(8), modeOf("closed"), open() - before);
      chmodSync("closed", 0o700);
      rmdirSync("closed");
    }`);
  expect(said).toEqual(["0 700 0", "500 700 0", "300 700 0"]);
});

test("a path leads through a folder without permissions only if that is wanted; otherwise the folder keeps its mode", ({ skip }) => {
  skip(!hasDescriptors(), NO_DESCRIPTORS);
  const said = asUser(`
    mkdirSync("closed");
    chmodSync("closed", 0o500);
    const write = (file) => writeFileSync(file, "x");
    try { inFolderOf(".", "closed/file", write); } catch ({ code }) { console.log(code, modeOf("closed")); }
    inFolderOf(".", "closed/file", write, { open: true });
    console.log(existsSync("closed/file"), modeOf("closed"));`);
  expect(said).toEqual(["EACCES 500", "true 700"]);
});
