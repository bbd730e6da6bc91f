import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { MAX_FILE_BYTES } from "@slipway/kernel/host/file-views/files";
import type { OpenPack } from "./store.ts";
import { ALL, packYard, write, type PackYard } from "./testing/repository.ts";

let yard: PackYard;
beforeAll(
  async () =>
    void (yard = await packYard({
      "src/a.ts": "a\n",
      "src/b.ts": "b\n",
      "run.sh": { script: "#!/bin/sh\n" },
      "data.bin": Uint8Array.of(0, 1, 2),
    })),
);

const RULES = [ALL, write("src/a.ts"), write("run.sh"), write("data.bin"), write("new/deep/c.ts")];

async function after(work: (folder: string, pack: OpenPack) => void, rules = RULES) {
  const pack = await yard.open(rules, { links: false });
  work(pack.folder, pack);
  return { ...(await pack.changes()), pack };
}

test("without a change there is none, and touching a file is none", async () => {
  const { diff, changed, dropped } = await after((folder) => writeFileSync(join(folder, "src/a.ts"), "a\n"));
  expect({ diff, changed, dropped }).toEqual({ diff: "", changed: [], dropped: [] });
});

test("permitted changes are in the diff, including binary files and modes", async () => {
  const { diff, changed, dropped } = await after((folder) => {
    writeFileSync(join(folder, "data.bin"), Uint8Array.of(9, 0, 9));
    chmodSync(join(folder, "run.sh"), 0o644);
    writeFileSync(join(folder, "new/deep/c.ts"), "c\r\n");
    rmSync(join(folder, "src/a.ts"));
  });
  expect(changed).toEqual(["data.bin", "new/deep/c.ts", "run.sh", "src/a.ts"]);
  expect(dropped).toEqual([]);
  expect(diff).toContain("GIT binary patch");
  expect(diff).toContain("old mode 100755\nnew mode 100644");
  execFileSync("git", ["apply", "--check", "-"], { cwd: yard.root, input: diff });
});

test("forbidden changes are named and left out", async () => {
  const { diff, changed, dropped } = await after((folder) => {
    writeFileSync(join(folder, "src/a.ts"), "changed\n");
    rmSync(join(folder, "src/b.ts"));
    writeFileSync(join(folder, "src/extra.ts"), "x\n");
    mkdirSync(join(folder, "node_modules/x"), { recursive: true });
    writeFileSync(join(folder, "node_modules/x/index.js"), "x\n");
    mkdirSync(join(folder, "new/.git/hooks"), { recursive: true });
    writeFileSync(join(folder, "new/deep/other.ts"), "x\n");
  });
  expect(changed).toEqual(["src/a.ts"]);
  expect(diff.match(/^diff --git/gm)).toHaveLength(1);
  expect(dropped).toEqual([
    { path: "new/.git/", what: "created", reason: "it may be read and not changed" },
    { path: "new/deep/other.ts", what: "created", reason: "it may be read and not changed" },
    { path: "node_modules/", what: "created", reason: "it may be read and not changed" },
    { path: "src/b.ts", what: "removed", reason: "it may be read and not changed" },
    { path: "src/extra.ts", what: "created", reason: "it may be read and not changed" },
  ]);
});

test("links, pipes and huge files are refused, and nothing behind a link is read", async () => {
  const { diff, changed, dropped } = await after((folder) => {
    rmSync(join(folder, "src/a.ts"));
    symlinkSync("/etc/passwd", join(folder, "src/a.ts"));
    rmSync(join(folder, "run.sh"));
    execFileSync("mkfifo", [join(folder, "run.sh")]);
    writeFileSync(join(folder, "data.bin"), "");
    execFileSync("truncate", ["-s", String(MAX_FILE_BYTES + 1), join(folder, "data.bin")]);
  });
  expect(changed).toEqual([]);
  expect(diff).toBe("");
  expect(dropped.map(({ path, reason }) => [path, reason])).toEqual([
    ["data.bin", expect.stringMatching(/too large/)],
    ["run.sh", "not a file"],
    ["src/a.ts", "a symbolic link"],
  ]);
});

test("in a writable folder every new file counts", async () => {
  const { changed, dropped } = await after(
    (folder) => {
      mkdirSync(join(folder, "src/x/y"), { recursive: true });
      writeFileSync(join(folder, "src/x/y/z.ts"), "z\n");
      mkdirSync(join(folder, "src/.git"));
    },
    [ALL, write("src")],
  );
  expect(changed).toEqual(["src/x/y/z.ts"]);
  expect(dropped).toEqual([{ path: "src/.git/", what: "created", reason: "it may be read and not changed" }]);
});

test("every file may be deleted", async () => {
  const { diff, changed } = await after(
    (folder) => {
      for (const path of ["src", "run.sh", "data.bin"]) rmSync(join(folder, path), { recursive: true });
    },
    [write(".")],
  );
  expect(changed).toHaveLength(4);
  expect(diff.match(/^deleted file mode/gm)).toHaveLength(4);
});

test("recorded changes are applied to a fresh folder, and from one state to another", async () => {
  const { pack, ...first } = await after((folder) => writeFileSync(join(folder, "src/a.ts"), "first\n"));
  const { pack: other, ...second } = await after((folder) => writeFileSync(join(folder, "new/deep/c.ts"), "second\n"));
  const fresh = await yard.open(RULES);
  await fresh.restore(first);
  expect((await fresh.changes()).diff).toBe(first.diff);
  await fresh.restore(first);
  await fresh.restore(second);
  expect((await fresh.changes()).diff).toBe(second.diff);
  expect(readFileSync(join(fresh.folder, "src/a.ts"), "utf8")).toBe("a\n");
  await fresh.restore({ diff: "", changed: [], dropped: [] });
  expect((await fresh.changes()).changed).toEqual([]);
  for (const open of [pack, other, fresh]) await open.close();
});
