import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
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

test("is written when it would change, and only then; folders are made", async () => {
  const path = scratch();
  const { fs, created, read } = counting();
  const files = projectedFiles(fs);
  expect([await files.write(path, "one"), await files.write(path, "one"), await files.write(path, "two")]).toEqual([true, false, true]);
  expect(readFileSync(path, "utf8")).toBe("two");
  expect([created.length, read.length]).toEqual([2, 0]);
});

test("what another process left there is looked at once, and not written again when it is right", async () => {
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
])("a file that somebody has %s is written anew", async (_what, meddle) => {
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

test("a disk that cannot be looked at is told", async () => {
  const fs = new MemoryFileSystem();
  const files = projectedFiles(fs);
  await files.write("/state.md", "one");
  fs.fault = (call) => (call === "modifiedAt" ? "EIO" : undefined);
  await expect(files.write("/state.md", "two")).rejects.toMatchObject({ code: "io_error", details: { file: "/state.md" } });
});

test("files that belong together are shown when all are written and what they show is on record, or not at all", async () => {
  const fs = new MemoryFileSystem();
  const files = projectedFiles(fs);
  const recorded = Promise.withResolvers<void>();
  const showing = showInOrder([files.stage("/a/one", "1"), files.stage("/a/two", "2")], recorded.promise);
  await new Promise((settled) => setImmediate(settled));
  expect((await fs.list("/a")).every((name) => name.endsWith(".tmp"))).toBe(true);
  recorded.resolve();
  expect(await showing).toBe(2);
  expect(await fs.list("/a")).toEqual(["one", "two"]);
  await expect(showInOrder([files.stage("/a/one", "3")], Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(await fs.list("/a")).toEqual(["one", "two"]);
  expect(Buffer.from(await fs.read("/a/one")).toString()).toBe("1");
});

describe("what is made ready ahead", () => {
  const filesIn = (folder: string) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => entry.name);
  const place = () => {
    const root = mkdtempSync(join(tmpdir(), "slipway-ahead-"));
    return { root, staged: join(root, ".staged"), one: join(root, "m", "src", "one.ts"), late: join(root, "m", "ship.json") };
  };

  test("is not seen, and has only to be shown when the same is staged; what was not known yet is filled in", async () => {
    const { root, staged, one, late } = place();
    const { fs, created } = counting();
    const files = projectedFiles(fs);
    await files.ahead(staged, { [one]: "one", [late]: "" });
    expect([existsSync(one), existsSync(late), created.length]).toEqual([false, false, 2]);
    await showInOrder([files.stage(one, "one"), files.stage(late, "late")]);
    expect([readFileSync(one, "utf8"), readFileSync(late, "utf8"), created.length]).toEqual(["one", "late", 2]);
    expect(filesIn(root).toSorted()).toEqual(["one.ts", "ship.json"]);
  });

  test("is left alone when something else is staged, and dropped with the folders that were made for it", async () => {
    const { root, staged, one, late } = place();
    const files = projectedFiles(nodeFileSystem);
    const drop = await files.ahead(staged, { [one]: "one", [late]: "" });
    await files.write(one, "other");
    expect(readFileSync(one, "utf8")).toBe("other");
    await drop();
    expect(filesIn(root)).toEqual(["one.ts"]);

    const elsewhere = place();
    await (
      await files.ahead(elsewhere.staged, { [elsewhere.one]: "one", [elsewhere.late]: "" })
    )();
    expect(readdirSync(elsewhere.root)).toEqual([".staged"]);
    expect(filesIn(elsewhere.root)).toEqual([]);
  });

  test("is replaced by what is made ready later; dropping the first does not touch the second", async () => {
    const { root, staged, one, late } = place();
    const files = projectedFiles(nodeFileSystem);
    const dropFirst = await files.ahead(staged, { [one]: "first", [late]: "" });
    await files.ahead(staged, { [one]: "second", [late]: "" });
    await dropFirst();
    await showInOrder([files.stage(one, "second"), files.stage(late, "late")]);
    expect([readFileSync(one, "utf8"), readFileSync(late, "utf8")]).toEqual(["second", "late"]);
    expect(filesIn(root).toSorted()).toEqual(["one.ts", "ship.json"]);
  });
});
