import { existsSync, mkdtempSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { nodeFileSystem, type FileSystem } from "./file-system.ts";
import { CrashSimulator, type CrashState } from "./testing/crash-simulator.ts";
import { errno, MemoryFileSystem } from "./testing/memory-file-system.ts";
import { ensureDirectory, sweepTemporaries, translateFileError, writeFileAtomic } from "./write-atomic.ts";

const bytes = (text: string) => Buffer.from(text);
const scratch = () => mkdtempSync(join(tmpdir(), "slipway-files-"));
const textOf = async (fs: FileSystem, path: string) => {
  try {
    return Buffer.from(await fs.read(path)).toString();
  } catch {
    return null;
  }
};

describe("on a real disk", () => {
  test("a file is created and replaced without leftovers", async () => {
    const folder = scratch();
    const path = join(folder, "a.json");
    await writeFileAtomic(nodeFileSystem, path, bytes("one"));
    await writeFileAtomic(nodeFileSystem, path, bytes("two"), { mode: 0o600 });
    expect(readFileSync(path, "utf8")).toBe("two");
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(["a.json"]);
  });

  test("folders are created with their parents, and may already exist", async () => {
    const folder = join(scratch(), "a", "b", "c");
    await ensureDirectory(nodeFileSystem, folder);
    await ensureDirectory(nodeFileSystem, folder);
    expect(statSync(folder).isDirectory()).toBe(true);
  });

  test("many writers of one file: the result is the complete content of one of them", async () => {
    const path = join(scratch(), "a");
    const texts = Array.from({ length: 20 }, (_, index) => String(index).repeat(10_000));
    await Promise.all(texts.map((text) => writeFileAtomic(nodeFileSystem, path, bytes(text))));
    expect(texts).toContain(readFileSync(path, "utf8"));
  });

  test.each(["missing/a", "file/a"])("a target that cannot be written (%s) is named", async (name) => {
    const folder = scratch();
    writeFileSync(join(folder, "file"), "");
    const path = join(folder, name);
    await expect(writeFileAtomic(nodeFileSystem, path, bytes("x"))).rejects.toMatchObject({
      code: "io_error",
      message: expect.stringContaining(path),
      details: { file: path, suggested_next_actions: [expect.any(String)] },
    });
    await expect(ensureDirectory(nodeFileSystem, join(folder, "file", "deeper"))).rejects.toMatchObject({ code: "io_error" });
  });

  test("a sweep removes old temporary files only", async () => {
    const folder = scratch();
    const now = Date.now();
    for (const name of [".slipway-0a.tmp", ".slipway-0b.tmp", "kept.tmp", ".slipway-not-ours"]) writeFileSync(join(folder, name), "");
    utimesSync(join(folder, ".slipway-0a.tmp"), new Date(0), new Date(0));
    expect(await sweepTemporaries(nodeFileSystem, folder, now)).toBe(1);
    expect(readdirSync(folder).toSorted()).toEqual([".slipway-0b.tmp", ".slipway-not-ours", "kept.tmp"]);
    expect(await sweepTemporaries(nodeFileSystem, folder, now + 1_000, 0)).toBe(1);
    expect(existsSync(join(folder, "kept.tmp"))).toBe(true);
  });
});

/** Writes generations of several files one after the other, and acknowledges each success to the simulator. */
async function history(write: typeof writeFileAtomic, names: readonly string[], generations: number): Promise<CrashSimulator> {
  const simulator = new CrashSimulator();
  await ensureDirectory(simulator.fs, "/state");
  for (let generation = 1; generation <= generations; generation++) {
    for (const name of names) {
      await write(simulator.fs, `/state/${name}`, bytes(`${name} ${generation} ${"x".repeat(generation)}`), {
        nonce: () => `${generation}`,
      });
      simulator.acknowledge(`${name} ${generation}`);
    }
  }
  return simulator;
}

/** The fault of a disk after a power cut, or null. */
async function fault({ fs, acknowledged, after }: CrashState, names: readonly string[]): Promise<string | null> {
  for (const name of names) {
    const text = await textOf(fs, `/state/${name}`);
    const promised = Math.max(
      0,
      ...[...acknowledged].filter((label) => label.startsWith(`${name} `)).map((label) => Number(label.split(" ")[1])),
    );
    if (text === null) {
      if (promised > 0) return `after ${after} events ${name} is gone, although generation ${promised} was acknowledged`;
      continue;
    }
    const [, generation, tail] = /^\S+ (\d+) (x+)$/.exec(text) ?? [];
    if (generation === undefined || tail?.length !== Number(generation)) return `after ${after} events ${name} is torn: "${text}"`;
    if (Number(generation) < promised) return `after ${after} events ${name} is at ${generation}, although ${promised} was acknowledged`;
  }
  return null;
}

async function faults(simulator: CrashSimulator, names: readonly string[]): Promise<{ states: number; found: string[] }> {
  let states = 0;
  const found: string[] = [];
  for (const state of simulator.crashStates()) {
    states++;
    const problem = await fault(state, names);
    if (problem !== null) found.push(problem);
  }
  return { states, found };
}

describe("after a power cut at any moment", () => {
  const names = ["index.json", "state.md", "plan.json"];

  test("every file is completely old or completely new, and acknowledged writes survive", async () => {
    const { states, found } = await faults(await history(writeFileAtomic, names, 80), names);
    expect(found).toEqual([]);
    expect(states).toBeGreaterThan(5_000);
  });

  test("concurrent writers do not damage each other's files", async () => {
    const simulator = new CrashSimulator();
    await ensureDirectory(simulator.fs, "/state");
    const writer = async (name: string) => {
      for (let generation = 1; generation <= 3; generation++) {
        await writeFileAtomic(simulator.fs, `/state/${name}`, bytes(`${name} ${generation} ${"x".repeat(generation)}`));
        simulator.acknowledge(`${name} ${generation}`);
      }
    };
    await Promise.all(names.map(writer));
    const { states, found } = await faults(simulator, names);
    expect(found).toEqual([]);
    expect(states).toBeGreaterThan(5_000);
  });

  test("whatever the order of writes, sizes and folders", async () => {
    const step = fc.record({ folder: fc.constantFrom("/a", "/a/b", "/c"), name: fc.constantFrom("x", "y"), size: fc.nat(9) });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 6 }), async (steps) => {
        const simulator = new CrashSimulator();
        const versions = new Map<string, string[]>();
        for (const [index, { folder, name, size }] of steps.entries()) {
          const path = `${folder}/${name}`;
          const text = `${index}:${"z".repeat(size)}`;
          versions.set(path, [...(versions.get(path) ?? []), text]);
          await ensureDirectory(simulator.fs, folder);
          await writeFileAtomic(simulator.fs, path, bytes(text));
          simulator.acknowledge(`${path}=${text}`);
        }
        for (const { fs, acknowledged } of simulator.crashStates()) {
          for (const [path, texts] of versions) {
            const found = await textOf(fs, path);
            const promised = texts.findLastIndex((text) => acknowledged.has(`${path}=${text}`));
            expect(found === null ? -1 : texts.indexOf(found)).toBeGreaterThanOrEqual(promised);
            if (found !== null) expect(texts).toContain(found);
          }
        }
      }),
      { numRuns: 40 },
    );
  });
});

const nonce = () => "1";

/** The same file system with one call that has no effect. */
function forgetful(fs: FileSystem, what: "file" | "directory" | "mkdir"): FileSystem {
  return {
    ...bound(fs),
    create: async (path, mode) => {
      const file = await fs.create(path, mode);
      return what === "file" ? { ...file, sync: async () => undefined } : file;
    },
    syncDirectory: async (path) => (what === "directory" || (what === "mkdir" && path === "/") ? undefined : fs.syncDirectory(path)),
  };
}

const overwriting: typeof writeFileAtomic = async (fs, path, content) => {
  await fs.unlink(path).catch(() => undefined);
  const file = await fs.create(path, 0o644);
  await file.write(content);
  await file.sync();
  await file.close();
  await fs.syncDirectory(dirname(path));
};

describe("the simulator catches a writer that forgets", () => {
  const names = ["state.md"];
  test.each([
    ["to sync the file", "file" as const, /torn|is gone/],
    ["to sync the directory", "directory" as const, /although/],
  ])("%s", async (_name, what, expected) => {
    const careless: typeof writeFileAtomic = (fs, path, content) => writeFileAtomic(forgetful(fs, what), path, content, { nonce });
    const { found } = await faults(await history(careless, names, 4), names);
    expect(found.length).toBeGreaterThan(0);
    expect(found[0]).toMatch(expected);
  });

  test("to sync the parent of a new folder", async () => {
    const simulator = new CrashSimulator();
    await ensureDirectory(forgetful(simulator.fs, "mkdir"), "/state");
    await writeFileAtomic(simulator.fs, "/state/state.md", bytes("state.md 1 x"));
    simulator.acknowledge("state.md 1");
    expect((await faults(simulator, names)).found[0]).toMatch(/is gone/);
  });

  test("to write beside instead of over the old content", async () => {
    expect((await faults(await history(overwriting, names, 3), names)).found.length).toBeGreaterThan(0);
  });
});

describe("when a call fails", () => {
  const CALLS = ["create", "write", "sync", "close", "rename", "syncDirectory"];

  test.each(["ENOSPC", "EIO", "EDQUOT"].flatMap((code) => CALLS.map((call) => [code, call] as const)))(
    "%s at %s: not acknowledged, nothing torn, no litter",
    async (code, call) => {
      const fs = new MemoryFileSystem();
      await ensureDirectory(fs, "/state");
      await writeFileAtomic(fs, "/state/a", bytes("old"));
      fs.fault = (name) => (name === call ? code : undefined);
      const expected = code === "EIO" ? "io_error" : "disk_full";
      await expect(writeFileAtomic(fs, "/state/a", bytes("new"))).rejects.toMatchObject({ code: expected, details: { file: "/state/a" } });
      fs.fault = () => undefined;
      // Only the sync of the directory can fail after the rename; the new content is complete but not acknowledged.
      expect(await textOf(fs, "/state/a")).toBe(call === "syncDirectory" ? "new" : "old");
      await sweepTemporaries(fs, "/state", 1, 0);
      expect(await fs.list("/state")).toEqual(["a"]);
      await writeFileAtomic(fs, "/state/a", bytes("newer"));
      expect(await textOf(fs, "/state/a")).toBe("newer");
    },
  );

  test("on a disk that fails completely, the next sweep removes the leftovers", async () => {
    const fs = new MemoryFileSystem();
    await ensureDirectory(fs, "/state");
    let calls = 0;
    fs.fault = () => (calls++ >= 1 ? "EIO" : undefined);
    await expect(writeFileAtomic(fs, "/state/a", bytes("new"))).rejects.toMatchObject({ code: "io_error" });
    await expect(sweepTemporaries(fs, "/state", 1, 0)).rejects.toThrow("EIO");
    fs.fault = () => undefined;
    expect(await fs.list("/state")).toHaveLength(1);
    expect(await sweepTemporaries(fs, "/state", 1, 0)).toBe(1);
    expect(await fs.list("/state")).toEqual([]);
  });

  test("a new folder that may not be durable is not acknowledged", async () => {
    const fs = new MemoryFileSystem();
    fs.fault = (call) => (call === "syncDirectory" ? "EIO" : undefined);
    await expect(ensureDirectory(fs, "/state")).rejects.toMatchObject({ code: "io_error" });
  });

  test("two sweeps at once", async () => {
    const fs = new MemoryFileSystem();
    await fs.create("/.slipway-01.tmp");
    fs.fault = (call) => (call === "unlink" ? "ENOENT" : undefined);
    expect(await sweepTemporaries(fs, "/", 1, 0)).toBe(0);
    fs.fault = (call) => (call === "unlink" ? "EIO" : undefined);
    await expect(sweepTemporaries(fs, "/", 1, 0)).rejects.toMatchObject({ code: "io_error" });
  });

  test("an error that is not about the disk is returned unchanged", () => {
    const bug = new TypeError("no");
    expect(translateFileError(bug, "/a")).toBe(bug);
    expect(translateFileError("text", "/a")).toBe("text");
    expect(translateFileError(errno("EROFS"), "/a")).toMatchObject({ code: "io_error" });
  });
});

function bound(fs: FileSystem): FileSystem {
  return {
    read: (path) => fs.read(path),
    create: (path, mode) => fs.create(path, mode),
    rename: (from, to) => fs.rename(from, to),
    unlink: (path) => fs.unlink(path),
    mkdir: (path, mode) => fs.mkdir(path, mode),
    mkdirs: (path, mode) => fs.mkdirs(path, mode),
    list: (directory) => fs.list(directory),
    modifiedAt: (path) => fs.modifiedAt(path),
    syncFile: (path) => fs.syncFile(path),
    syncDirectory: (path) => fs.syncDirectory(path),
  };
}
