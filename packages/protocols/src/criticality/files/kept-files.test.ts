import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nodeFileSystem } from "@slipway/kernel/host/files/file-system";
import { expect, test } from "vitest";
import { keepFiles, restoreKeptFiles } from "./kept-files.ts";
import { openRunFiles } from "./run-files.ts";

/** An object store in memory. */
function store() {
  const objects = new Map<string, Uint8Array>();
  return {
    put: async (bytes: Uint8Array) => {
      const digest = `d${objects.size}`;
      objects.set(digest, bytes);
      return digest;
    },
    get: async (digest: string) => {
      const found = objects.get(digest);
      if (found === undefined) throw new Error(`there is no object ${digest}`);
      return found;
    },
  };
}

async function ended() {
  const folder = join(mkdtempSync(join(tmpdir(), "slipway-kept-files-")), "run");
  const objects = store();
  const said = await objects.put(Buffer.from("what was said"));
  const files = openRunFiles(nodeFileSystem, folder);
  files.put("state.json", "{}\n");
  files.put("interview/state.json", "{}\n");
  files.move("interview", "archive/interview");
  files.append("events.jsonl", "one");
  files.append("events.jsonl", "two");
  files.putStored("archive/conversations/1.jsonl", said, async () => "what was said");
  await files.flush();
  const digest = await keepFiles(files, objects);
  const all = () =>
    Object.fromEntries(
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
        .map((path) => [path.slice(folder.length + 1), readFileSync(path, "utf8")]),
    );
  return { folder, objects, digest, all, restore: () => restoreKeptFiles(objects, folder, digest, "state.json") };
}

test("all files come back as they were after their folder was removed", async () => {
  const { folder, all, restore } = await ended();
  const before = all();
  expect(Object.keys(before)).toHaveLength(4);
  rmSync(folder, { recursive: true });
  expect(await restore()).toBe(4);
  expect(all()).toEqual(before);
});

test("a file that is there is not touched", async () => {
  const { folder, restore, all } = await ended();
  writeFileSync(join(folder, "events.jsonl"), "mine\n");
  rmSync(join(folder, "state.json"));
  expect(await restore()).toBe(1);
  expect(all()["events.jsonl"]).toBe("mine\n");
});

test("the named file comes last, so that an interrupted restore is continued", async () => {
  const { folder, objects, restore } = await ended();
  rmSync(folder, { recursive: true });
  const { get } = objects;
  let reads = 0;
  objects.get = async (digest) => (++reads === 2 ? Promise.reject(new Error("no disk")) : get(digest));
  await expect(restore()).rejects.toThrow("no disk");
  expect(existsSync(join(folder, "state.json"))).toBe(false);
  objects.get = get;
  await restore();
  expect(existsSync(join(folder, "state.json"))).toBe(true);
});
