import { execFile } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { emptyFolders } from "./empty-folders.ts";

test("an untouched folder is used again, and no two users share one", () => {
  const folders = emptyFolders("slipway-test-home-");
  const first = folders.take();
  const second = folders.take();
  expect(second).not.toBe(first);
  folders.giveBack(first);
  expect(folders.take()).toBe(first);
  for (const path of [first, second]) rmSync(path, { recursive: true });
});

test.each([
  ["has something in it", (path: string) => writeFileSync(join(path, ".profile"), "x")],
  ["has other permissions", (path: string) => chmodSync(path, 0o777)],
  [
    "is another folder",
    (path: string) => (rmSync(path, { recursive: true }), mkdirSync(path, { mode: 0o700 }), mkdirSync(join(path, "x"))),
  ],
  ["is a link", (path: string) => (rmSync(path, { recursive: true }), symlinkSync("/", path))],
  ["is gone", (path: string) => rmSync(path, { recursive: true })],
])("a folder that %s is removed, before or after it was returned", (_name, touch) => {
  const folders = emptyFolders("slipway-test-home-");
  for (const late of [false, true]) {
    const path = folders.take();
    if (!late) touch(path);
    folders.giveBack(path);
    if (late) touch(path);
    const next = folders.take();
    expect(existsSync(path)).toBe(path === next);
    expect(readdirSync(next)).toEqual([]);
    rmSync(next, { recursive: true });
  }
  expect(existsSync("/etc")).toBe(true);
});

test("no folder is left when the process ends", async () => {
  const script = `
    import { emptyFolders } from ${JSON.stringify(join(import.meta.dirname, "empty-folders.ts"))};
    const folders = emptyFolders("slipway-test-home-");
    const path = folders.take();
    folders.giveBack(path);
    console.log(path);`;
  // Of the other packages, the sources too: a build may be older, or missing.
  const args = ["--conditions=slipway-source", "--input-type=module-typescript", "--eval", script];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  expect(existsSync(stdout.trim())).toBe(false);
});
