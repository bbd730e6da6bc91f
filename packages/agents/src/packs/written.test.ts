import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { PackRule } from "@slipway/kernel/host/file-views/rules";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { planPack, type PackPlan } from "./plan.ts";
import { packYard, type PackYard } from "./testing/repository.ts";
import { filesOfChanges, writtenChanges, writtenFiles, type WrittenFile } from "./written.ts";

const BINARY = Uint8Array.of(0xff, 0x00, 0xfe);
const FILES = { "src/a.txt": "one\n", "src/b.txt": "two\n", "src/c.bin": BINARY, "fixed.txt": "fixed\n", "secret/k.txt": "key\n" };
const RULES: readonly PackRule[] = [
  { path: ".", level: "FULL", permission: "read", reason: "all" },
  { path: "src", level: "FULL", permission: "write", reason: "the work" },
  { path: "secret", level: null, sealed: true, reason: "hidden" },
];

let yard: PackYard;
let plan: PackPlan;
beforeAll(async () => {
  yard = await packYard(FILES);
  plan = planPack(await yard.contents(RULES));
});

const changes = (...files: readonly WrittenFile[]) => writtenChanges(yard.repo, plan, files);

/** The changes of a folder with the same pack, made by hand. */
async function inFolder(work: (folder: string) => void) {
  const pack = await yard.open(RULES, { links: false });
  work(pack.folder);
  const found = await pack.changes();
  const files = filesOfChanges(pack.folder, plan, found);
  await pack.close();
  return { found, files };
}

describe("the files of an answer", () => {
  test("become the diff that the same work in a folder gives", async () => {
    const { found } = await inFolder((folder) => {
      writeFileSync(join(folder, "src/a.txt"), "green\n");
      writeFileSync(join(folder, "src/new.txt"), "new\n");
      rmSync(join(folder, "src/b.txt"));
      writeFileSync(join(folder, "fixed.txt"), "broken\n");
    });
    const written = await changes(
      { path: "src/new.txt", content: "new\n" },
      { path: "./src//a.txt", content: "green\n" },
      { path: "src/b.txt", content: null },
      { path: "fixed.txt", content: "broken\n" },
    );
    expect(written).toEqual(found);
    expect(written.changed).toEqual(["src/a.txt", "src/b.txt", "src/new.txt"]);
    expect(written.dropped).toMatchObject([{ path: "fixed.txt", what: "changed" }]);
  });

  test("that stay as they are are no changes", async () => {
    expect(await changes({ path: "src/a.txt", content: "one\n" })).toEqual({ diff: "", changed: [], dropped: [] });
  });

  test.each([
    ["outside the folder", "../outside.txt", /contains ".."/],
    ["with an absolute path", "/etc/passwd", /is absolute/],
    ["in git's folder", "src/.git/hooks/pre-commit", /git's own folder/],
    ["that the role may only read", "fixed.txt", /may be read and not changed/],
    ["that the role cannot see", "secret/k.txt", /may be read and not changed/],
    ["with a backslash", "src\\x.txt", /backslash/],
  ])("%s are dropped and named", async (_, path, reason) => {
    const { diff, dropped } = await changes({ path, content: "x\n" });
    expect(diff).toBe("");
    expect(dropped).toEqual([
      { path: expect.stringContaining(path.slice(-5)), what: expect.any(String), reason: expect.stringMatching(reason) },
    ]);
  });

  test("cannot delete what is not there", async () => {
    expect((await changes({ path: "src/none.txt", content: null })).dropped).toEqual([
      { path: "src/none.txt", what: "removed", reason: "there is no such file" },
    ]);
  });

  test("cannot replace a symbolic link, or be written through one", async () => {
    const contents = await yard.contents([
      ...RULES,
      { path: "src/left", level: null, sealed: false, reason: "left out" },
      { path: "src/left/new.txt", level: "FULL", permission: "write", reason: "new" },
    ]);
    const linked = planPack({
      ...contents,
      others: [
        { path: "src/link", reason: "a symbolic link" },
        { path: "src/left/old.txt", reason: "a submodule" },
      ],
    });
    const files = ["src/link", "src/link/deep/x.txt", "src/linked.txt", "src/left/new.txt"].map((path) => ({ path, content: "three\n" }));
    const { changed, dropped } = await writtenChanges(yard.repo, linked, [...files, { path: "src/link/gone.txt", content: null }]);
    expect(changed).toEqual(["src/left/new.txt", "src/linked.txt"]);
    expect(dropped.map(({ path, what, reason }) => `${what} ${path}: ${reason}`)).toEqual([
      "created src/link: a symbolic link is in its place",
      "created src/link/deep/x.txt: a symbolic link is in its place",
      "removed src/link/gone.txt: a symbolic link is in its place",
    ]);
  });

  test("cannot make a file of a folder or a folder of a file, unless the file is deleted", async () => {
    const clash = await changes({ path: "src", content: "x" }, { path: "src/a.txt/b", content: "x" });
    expect(clash).toMatchObject({ diff: "", dropped: [{ path: "src" }, { path: "src/a.txt/b" }] });
    const replaced = await changes({ path: "src/a.txt/b", content: "x\n" }, { path: "src/a.txt", content: null });
    expect(replaced.changed).toEqual(["src/a.txt", "src/a.txt/b"]);
  });

  test("are refused as an answer if one is listed twice", () => {
    const twice = writtenFiles.safeParse([
      { path: "a/b", content: "1" },
      { path: "./a//b", content: "2" },
    ]);
    expect(twice.error?.issues).toMatchObject([{ path: [1, "path"], message: '"a/b" is listed twice' }]);
  });
});

describe("the changes of a folder as files of an answer", () => {
  test("give the same changes again: binary files, modes, new folders and refused files too", async () => {
    const { found, files } = await inFolder((folder) => {
      writeFileSync(join(folder, "src/c.bin"), Uint8Array.of(0, 255, 1));
      writeFileSync(join(folder, "src/run.sh"), "#!/bin/sh\n");
      chmodSync(join(folder, "src/run.sh"), 0o755);
      chmodSync(join(folder, "src/a.txt"), 0o755);
      rmSync(join(folder, "fixed.txt"));
      mkdirSync(join(folder, "other"));
      writeFileSync(join(folder, "other/x"), "x");
    });
    expect(found.diff).toContain("new mode 100755");
    expect(found.dropped.map(({ path }) => path)).toEqual(["fixed.txt", "other/"]);
    expect(await writtenChanges(yard.repo, plan, writtenFiles.parse(JSON.parse(JSON.stringify(files))))).toEqual(found);
    expect(JSON.stringify(files)).not.toContain('"x"');
  });

  test("give the same changes again, whatever text is written", async () => {
    const name = fc.constantFrom("src/a.txt", "src/b.txt", "src/d/e.txt", "src/c.bin");
    const content = fc.oneof(
      fc.constant(null),
      fc.string({ unit: "binary" }).map((text) => text.toWellFormed()),
      fc.uint8Array(),
    );
    const property = fc.asyncProperty(fc.dictionary(name, content, { maxKeys: 4 }), async (edits) => {
      const { found, files } = await inFolder((folder) => {
        mkdirSync(join(folder, "src/d"), { recursive: true });
        for (const [path, text] of Object.entries(edits)) {
          if (text === null) rmSync(join(folder, path), { force: true });
          else writeFileSync(join(folder, path), text);
        }
      });
      expect(await writtenChanges(yard.repo, plan, files)).toEqual(found);
    });
    await fc.assert(property, { numRuns: 15 });
  });
});
