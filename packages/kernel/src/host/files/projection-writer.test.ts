import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { nodeFileSystem, type FileSystem } from "./file-system.ts";
import { projectedFiles, showInOrder } from "./projection-writer.ts";
import { MemoryFileSystem } from "./testing/memory-file-system.ts";

const scratch = () => join(mkdtempSync(join(tmpdir(), "slipway-projected-")), "deep", "er", "state.md");

function counting(): { fs: FileSystem; created: string[]; read: string[] } {
  const [created, read]: string[][] = [[], []];
  const fs: FileSystem = {
    ...nodeFileSystem,
    create: async (path, mode) => {
      const file = await nodeFileSystem.create(path, mode);
      created?.push(path);
      return file;
    },
    read: (path) => (read?.push(path), nodeFileSystem.read(path)),
  };
  return { fs, created: created ?? [], read: read ?? [] };
}

test("a file is written only if it would change, with missing folders", async () => {
  const path = scratch();
  const { fs, created, read } = counting();
  const files = projectedFiles(fs);
  expect([await files.write(path, "one"), await files.write(path, "one"), await files.write(path, "two")]).toEqual([true, false, true]);
  expect(readFileSync(path, "utf8")).toBe("two");
  expect([created.length, read.length]).toEqual([2, 0]);
});

test("a file of another process is compared once, and not written again if it is right", async () => {
  const path = scratch();
  await projectedFiles(nodeFileSystem).write(path, "one");
  const { ino } = statSync(path);
  const { fs, read } = counting();
  const files = projectedFiles(fs);
  expect([await files.write(path, "one"), await files.write(path, "one")]).toEqual([false, false]);
  expect([statSync(path).ino, read.length]).toEqual([ino, 1]);
});

test.each([
  ["edited", (path: string) => writeFileSync(path, "mine")],
  ["emptied", (path: string) => writeFileSync(path, "")],
  ["removed", (path: string) => rmSync(path)],
  ["removed with its folder", (path: string) => rmSync(join(path, ".."), { recursive: true })],
])("a file that was %s is written again", async (_what, meddle) => {
  const path = scratch();
  const files = projectedFiles(nodeFileSystem);
  await files.write(path, "one");
  meddle(path);
  expect(await files.write(path, "one")).toBe(true);
  expect(readFileSync(path, "utf8")).toBe("one");
});

test("after forget the file itself is compared", async () => {
  const path = scratch();
  const { fs, read } = counting();
  const files = projectedFiles(fs);
  await files.write(path, "one");
  files.forget(path);
  expect([await files.write(path, "one"), read.length]).toEqual([false, 1]);
});

test("an unreadable path is an error", async () => {
  const fs = new MemoryFileSystem();
  const files = projectedFiles(fs);
  await files.write("/state.md", "one");
  fs.fault = (call) => (call === "modifiedAt" ? "EIO" : undefined);
  await expect(files.write("/state.md", "two")).rejects.toMatchObject({ code: "io_error", details: { file: "/state.md" } });
});

test("files that belong together appear when all are written, or not at all", async () => {
  const fs = new MemoryFileSystem();
  const files = projectedFiles(fs);
  expect(await showInOrder([files.stage("/a/one", "1"), files.stage("/a/two", "2")])).toBe(2);
  expect(await fs.list("/a")).toEqual(["one", "two"]);
  await expect(showInOrder([files.stage("/a/one", "3"), Promise.reject(new Error("no"))])).rejects.toThrow("no");
  expect(await fs.list("/a")).toEqual(["one", "two"]);
  expect(Buffer.from(await fs.read("/a/one")).toString()).toBe("1");
});
