import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { nodeFileSystem } from "@slipway/kernel/host/files/file-system";
import { CrashSimulator } from "@slipway/kernel/host/files/testing/crash-simulator";
import { MemoryFileSystem } from "@slipway/kernel/host/files/testing/memory-file-system";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { appendToFile } from "./append-file.ts";
import { openRunFiles } from "./run-files.ts";

function scratch() {
  const folder = join(mkdtempSync(join(tmpdir(), "slipway-run-files-")), "run");
  const read = (path: string) => (existsSync(join(folder, path)) ? readFileSync(join(folder, path), "utf8") : null);
  return { folder, read, open: () => openRunFiles(nodeFileSystem, folder) };
}

describe("a file that only grows", () => {
  test("new lines are appended to the file on disk, which is not written again", async () => {
    const { folder, open, read } = scratch();
    const added: number[] = [];
    const files = openRunFiles(nodeFileSystem, folder, (path, size, bytes) => {
      const done = appendToFile(path, size, bytes);
      if (done) added.push(bytes.length);
      return done;
    });
    files.append("log.jsonl", "a".repeat(1_000));
    await files.flush();
    const { ino } = statSync(join(folder, "log.jsonl"));
    for (const line of ["b", "c"]) {
      files.append("log.jsonl", line);
      await files.flush();
    }
    expect(read("log.jsonl")).toBe(`${"a".repeat(1_000)}\nb\nc\n`);
    expect([statSync(join(folder, "log.jsonl")).ino, added]).toEqual([ino, [2, 2]]);
    expect(open().text("log.jsonl")).toBeNull();
  });

  test.each([
    ["removed", (path: string) => rmSync(path)],
    ["removed with its folder", (path: string) => rmSync(dirname(path), { recursive: true })],
    ["cut off in a line", (path: string) => writeFileSync(path, "on")],
    ["edited", (path: string) => appendFileSync(path, "mine\n")],
    ["replaced by a link", (path: string) => (rmSync(path), writeFileSync(`${path}.other`, "one\n"), symlinkSync(`${path}.other`, path))],
  ])("is complete again with the next line after it was %s", async (_what, meddle) => {
    const { folder, open, read } = scratch();
    const files = open();
    files.append("deep/log.jsonl", "one");
    await files.flush();
    meddle(join(folder, "deep/log.jsonl"));
    files.append("deep/log.jsonl", "two");
    expect(await files.flush()).toBeNull();
    expect(read("deep/log.jsonl")).toBe("one\ntwo\n");
    if (existsSync(join(folder, "deep/log.jsonl.other"))) expect(read("deep/log.jsonl.other")).toBe("one\n");
  });

  test("a new process repairs a line that a crash cut off", async () => {
    const { folder, open, read } = scratch();
    const files = open();
    files.append("log.jsonl", "one");
    await files.flush();
    appendFileSync(join(folder, "log.jsonl"), "tw");
    const again = open();
    for (const line of ["one", "two"]) again.append("log.jsonl", line);
    await again.flush();
    expect(read("log.jsonl")).toBe("one\ntwo\n");
  });

  test("any lines in any number of flushes and processes are the file", async () => {
    const line = fc.string({ unit: "binary" }).map((text) => JSON.stringify(text));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(line, { maxLength: 4 }), { maxLength: 6 }), fc.nat(6), async (flushes, restartAt) => {
        const { open, read } = scratch();
        let files = open();
        for (const [index, lines] of flushes.entries()) {
          if (index === restartAt) {
            files = open();
            for (const one of flushes.slice(0, index).flat()) files.append("log.jsonl", one);
          }
          for (const one of lines) files.append("log.jsonl", one);
          await files.flush();
        }
        const all = flushes.flat().map((one) => `${one}\n`);
        expect(read("log.jsonl") ?? "").toBe(all.join(""));
      }),
      { numRuns: 60 },
    );
  });
});

describe("a file that is replaced", () => {
  test("[CRI-176] a crash at any moment leaves state.json complete, old or new, never anything else", async () => {
    const simulator = new CrashSimulator();
    const files = openRunFiles(simulator.fs, "/run", () => false);
    const versions = ['{"version":"1.0.0","n":1}\n', '{"version":"1.0.0","n":2,"longer":true}\n', '{"n":3}\n'];
    for (const [index, text] of versions.entries()) {
      files.put("state.json", text);
      expect(await files.flush()).toBeNull();
      if (index === 0) await simulator.fs.syncDirectory("/run").then(() => simulator.fs.syncDirectory("/"));
    }
    const seen = new Set<string>();
    for (const { fs } of simulator.crashStates()) {
      const bytes = await fs.read("/run/state.json").catch(() => null);
      if (bytes !== null) seen.add(Buffer.from(bytes).toString());
    }
    expect([...seen].toSorted()).toEqual([...versions].toSorted());
  });

  test("every file that was removed comes back with the next flush, changed or not", async () => {
    const { folder, open, read } = scratch();
    const files = open();
    files.put("state.json", "one");
    files.put("archive/interview/state.json", "two");
    files.append("log.jsonl", "three");
    files.putStored("archive/said.jsonl", "digest", async () => "four");
    await files.flush();
    rmSync(folder, { recursive: true });
    files.put("state.json", "five");
    await files.flush();
    expect(["state.json", "archive/interview/state.json", "log.jsonl", "archive/said.jsonl"].map(read)).toEqual([
      "five",
      "two",
      "three\n",
      "four",
    ]);
  });

  test("a moved folder has every file in its new place and none in the old, also after a restart", async () => {
    const { open, read } = scratch();
    for (const files of [open(), open()]) {
      files.put("interview/state.json", "one");
      files.append("interview/transcript.jsonl", "two");
      if (read("archive/interview/state.json") === null) await files.flush();
      files.move("interview", "archive/interview");
      await files.flush();
      expect([read("interview/state.json"), read("interview/transcript.jsonl")]).toEqual([null, null]);
      expect([read("archive/interview/state.json"), read("archive/interview/transcript.jsonl")]).toEqual(["one", "two\n"]);
      expect(files.below("archive")).toEqual(["archive/interview/state.json", "archive/interview/transcript.jsonl"]);
    }
  });

  test("a stored text is read when it is written, and not kept", async () => {
    const { open, read } = scratch();
    const files = open();
    let reads = 0;
    const put = () => files.putStored("a", "key", async () => `text ${++reads}`);
    put();
    expect(reads).toBe(0);
    await files.flush();
    put();
    await files.flush();
    expect([read("a"), files.text("a"), reads]).toEqual(["text 1", null, 1]);
  });

  test("a path outside the folder is refused", () => {
    expect(() => scratch().open().put("../state.json", "x")).toThrow();
  });
});

describe("a disk that refuses", () => {
  test("flush says which file, writes the others, and writes the refused one when it can", async () => {
    const { folder, open, read } = scratch();
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "archive"), "in the way");
    const files = open();
    files.put("archive/a", "one");
    files.put("state.json", "two");
    const problem = await files.flush();
    expect(problem).toMatchObject({ code: "io_error" });
    expect(problem?.message).toContain("archive/a");
    expect(read("state.json")).toBe("two");
    rmSync(join(folder, "archive"));
    expect(await files.flush()).toBeNull();
    expect(read("archive/a")).toBe("one");
  });

  test.each([
    ["ENOSPC", "create", "disk_full"],
    ["EACCES", "create", "io_error"],
    ["ELOOP", "create", "io_error"],
  ])("%s of %s is the problem %s", async (code, call, problem) => {
    const fs = new MemoryFileSystem();
    fs.fault = (called) => (called === call ? code : undefined);
    const files = openRunFiles(fs, "/run", () => false);
    files.put("a", "one");
    expect(await files.flush()).toMatchObject({ code: problem });
    fs.fault = () => undefined;
    expect(await files.flush()).toBeNull();
  });

  test("a removed file that cannot be removed is a problem; one that is gone is none", async () => {
    const fs = new MemoryFileSystem();
    const files = openRunFiles(fs, "/run", () => false);
    files.put("a", "one");
    await files.flush();
    files.remove("a");
    fs.fault = (call) => (call === "unlink" ? "EPERM" : undefined);
    expect(await files.flush()).toMatchObject({ code: "io_error" });
    fs.fault = () => undefined;
    await fs.unlink("/run/a");
    expect(await files.flush()).toBeNull();
  });

  test("an error that is none of the disk is thrown", async () => {
    const { open } = scratch();
    const files = open();
    files.putStored("a", "key", () => Promise.reject(new TypeError("a bug")));
    await expect(files.flush()).rejects.toThrow("a bug");
  });
});
