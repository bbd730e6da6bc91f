import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { sha256 } from "@slipway/durable/canonical";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { nodeFileSystem } from "../../host/files/file-system.ts";
import { CrashSimulator } from "../../host/files/testing/crash-simulator.ts";
import { MemoryFileSystem } from "../../host/files/testing/memory-file-system.ts";
import { objectStore } from "./store.ts";

const scratch = () => join(mkdtempSync(join(tmpdir(), "slipway-objects-")), "objects");
const bytes = (text: string) => Buffer.from(text);

describe("on a real disk", () => {
  test("stored bytes are read back under their digest", async () => {
    const root = scratch();
    const objects = objectStore(nodeFileSystem, root);
    const digest = await objects.put(bytes("hello"));
    expect(digest).toBe(sha256("hello"));
    expect(objects.pathOf(digest)).toBe(join(root, digest.slice(0, 2), digest.slice(2)));
    expect(Buffer.from(await objects.get(digest)).toString()).toBe("hello");
    expect(readFileSync(objects.pathOf(digest), "utf8")).toBe("hello");
  });

  test("storing twice stores once, also from several stores at the same time", async () => {
    const root = scratch();
    const large = Buffer.alloc(2_000_000, "large");
    const digests = await Promise.all(Array.from({ length: 8 }, () => objectStore(nodeFileSystem, root).put(large)));
    expect(new Set(digests).size).toBe(1);
    expect(readdirSync(join(root, digests[0]!.slice(0, 2)))).toEqual([digests[0]!.slice(2)]);
  });

  test("any bytes", async () => {
    const objects = objectStore(nodeFileSystem, scratch());
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 100 }), async (content) => {
        expect(Buffer.from(await objects.get(await objects.put(content))).equals(content)).toBe(true);
      }),
      { numRuns: 20 },
    );
  });

  test("a finished file becomes an object, also in place of a damaged one", async () => {
    const root = scratch();
    const objects = objectStore(nodeFileSystem, root);
    const digest = await objects.put(bytes("hello"));
    writeFileSync(objects.pathOf(digest), "hellO");
    const file = join(dirname(root), "written.jsonl");
    writeFileSync(file, "hello");
    await objects.adopt(file, digest);
    expect(Buffer.from(await objects.get(digest)).toString()).toBe("hello");
    expect(readdirSync(dirname(root))).toEqual(["objects"]);
    await expect(objects.adopt(file, digest)).rejects.toMatchObject({ code: "io_error" });
    await expect(objects.adopt(file, "no digest")).rejects.toMatchObject({ code: "object_missing" });
  });

  test("a missing object is named", async () => {
    const objects = objectStore(nodeFileSystem, scratch());
    const digest = sha256("nowhere");
    await expect(objects.get(digest)).rejects.toMatchObject({ code: "object_missing", details: { file: objects.pathOf(digest), digest } });
  });

  test.each(["../../../../etc/passwd", "", "A".repeat(64), `${"a".repeat(63)}/`])("%j is no digest and no path", async (digest) => {
    await expect(objectStore(nodeFileSystem, scratch()).get(digest)).rejects.toMatchObject({ code: "object_missing" });
  });

  test("a changed object is noticed, and storing it again repairs it", async () => {
    const objects = objectStore(nodeFileSystem, scratch());
    const digest = await objects.put(bytes("hello"));
    writeFileSync(objects.pathOf(digest), "hellO");
    await expect(objects.get(digest)).rejects.toMatchObject({ code: "object_corrupt", details: { file: objects.pathOf(digest) } });
    await objects.put(bytes("hello"));
    expect(Buffer.from(await objects.get(digest)).toString()).toBe("hello");
  });

  test("temporary files of interrupted writers are removed", async () => {
    const objects = objectStore(nodeFileSystem, scratch());
    expect(await objects.sweep(Date.now())).toBe(0);
    const digest = await objects.put(bytes("hello"));
    writeFileSync(join(dirname(objects.pathOf(digest)), ".slipway-0f.tmp"), "half");
    expect(await objects.sweep(Date.now() + 1_000, 0)).toBe(1);
    expect(Buffer.from(await objects.get(digest)).toString()).toBe("hello");
  });
});

test("after a power cut at any moment every acknowledged object exists, none has wrong content, and all can be stored again", async () => {
  const simulator = new CrashSimulator();
  let objects = objectStore(simulator.fs, "/repo/.slipway/objects");
  for (let index = 0; index < 120; index++) {
    simulator.acknowledge(await objects.put(bytes(`object ${index % 80}`)));
    // A restarted process does not know what the last one has synced.
    if (index % 10 === 9) objects = objectStore(simulator.fs, "/repo/.slipway/objects");
  }
  let states = 0;
  for (const { fs, acknowledged } of simulator.crashStates()) {
    states++;
    const after = objectStore(fs, "/repo/.slipway/objects");
    const newest = [...acknowledged].slice(-3);
    for (const digest of newest) expect(sha256(await after.get(digest))).toBe(digest);
    const underWay = sha256(`object ${acknowledged.size}`);
    const found = await after.get(underWay).catch((error: { code: string }) => error.code);
    if (typeof found === "string") expect(["object_missing", "object_corrupt"]).toContain(found);
    else expect(sha256(found)).toBe(underWay);
    const mended = await after.put(bytes(`object ${acknowledged.size}`));
    expect(sha256(await after.get(mended))).toBe(underWay);
  }
  expect(states).toBeGreaterThan(2_000);
});

test("a put after a kill makes objects durable that the killed process had only renamed", async () => {
  const simulator = new CrashSimulator();
  await objectStore(simulator.fs, "/objects").put(bytes("another, so that the folder is there"));
  simulator.fs.fault = (call) => (call === "syncDirectory" ? "EIO" : undefined);
  await expect(objectStore(simulator.fs, "/objects").put(bytes("hello"))).rejects.toMatchObject({ code: "io_error" });
  simulator.fs.fault = () => undefined;
  simulator.acknowledge(await objectStore(simulator.fs, "/objects").put(bytes("hello")));
  for (const { fs, acknowledged } of simulator.crashStates()) {
    for (const digest of acknowledged) expect(sha256(await objectStore(fs, "/objects").get(digest))).toBe(digest);
  }
});

test.each([
  ["ENOSPC", "a new folder"],
  ["EIO", "a new folder"],
  ["ENOSPC", "a folder that is there"],
  ["EIO", "a folder that is there"],
])("%s at every call, in %s: not acknowledged, no wrong content, no leftovers", async (code, where) => {
  const failed: string[] = [];
  for (let failing = 1; ; failing++) {
    const fs = new MemoryFileSystem();
    await objectStore(fs, "/objects").put(bytes("earlier"));
    if (where !== "a new folder") await fs.mkdir(`/objects/${sha256("hello").slice(0, 2)}`);
    let calls = 0;
    fs.fault = (call) => (++calls === failing ? (failed.push(call), code) : undefined);
    const objects = objectStore(fs, "/objects");
    const outcome = await objects.put(bytes("hello")).catch((error: unknown) => error);
    const done = calls < failing;
    fs.fault = () => undefined;
    if (done) expect(outcome).toBe(sha256("hello"));
    else expect(outcome).toMatchObject({ code: code === "EIO" ? "io_error" : "disk_full" });
    const found = await objects.get(sha256("hello")).catch((error: { code: string }) => error.code);
    if (typeof found === "string") expect(found).toBe("object_missing");
    else expect(Buffer.from(found).toString()).toBe("hello");
    await objects.sweep(1, 0);
    const names = await Promise.all((await fs.list("/objects")).map((folder) => fs.list(`/objects/${folder}`)));
    expect(names.flat().filter((name) => name.endsWith(".tmp"))).toEqual([]);
    expect(Buffer.from(await objects.get(sha256("earlier"))).toString()).toBe("earlier");
    await objects.put(bytes("hello"));
    if (done) break;
  }
  const calls = ["mkdir", "syncDirectory", "create", "write", "sync", "close", "rename"];
  expect(new Set(failed)).toEqual(new Set(where === "a new folder" ? calls : [...calls, "read"]));
});

test("a disk error while reading is not a missing object", async () => {
  const fs = new MemoryFileSystem();
  const objects = objectStore(fs, "/objects");
  const digest = await objects.put(bytes("hello"));
  fs.fault = (call) => (call === "read" || call === "list" ? "EIO" : undefined);
  await expect(objects.get(digest)).rejects.toMatchObject({ code: "io_error" });
  await expect(objects.sweep(1)).rejects.toMatchObject({ code: "io_error" });
  // This process knows that it is on disk; another process must sync it.
  fs.fault = (call) => (call === "syncDirectory" ? "EIO" : undefined);
  expect(await objects.put(bytes("hello"))).toBe(digest);
  await expect(objectStore(fs, "/objects").put(bytes("hello"))).rejects.toMatchObject({ code: "io_error" });
  fs.fault = (call) => (call === "sync" ? "EIO" : undefined);
  await expect(objectStore(fs, "/objects").put(bytes("hello"))).rejects.toMatchObject({ code: "io_error" });
});
