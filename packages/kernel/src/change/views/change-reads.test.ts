import { chmodSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { callAs, LETTERS, lettersOn } from "../testing/letters.ts";
import { openScratchKernel, type ScratchKernel } from "../testing/scratch-kernel.ts";

const LONG = Array.from({ length: 20 }, (_, line) => `line ${line}\n`).join("");
const FILES = {
  "src/zoo.txt": LONG,
  "src/b.bin": "text for now\n",
  "src/ö name.txt": "one\n",
  "src/run.sh": "true\n",
};

let scratch: ScratchKernel;
beforeEach(async () => {
  scratch = await openScratchKernel(FILES);
  const feature = lettersOn(scratch);
  await feature.init();
  const files = {
    create: ["src/moved/zoo.txt", "src/new.txt"],
    modify: ["src/b.bin", "src/run.sh", "src/ö name.txt"],
    delete: ["src/zoo.txt", "src/a.txt"],
  };
  const plan_json = {
    feature_id: "letters",
    plan_version: 1,
    summary: "change the letters",
    allowed_areas: ["src"],
    forbidden_areas: [],
    base_ref: "main",
    files,
    contracts: { openapi: "none", events: "none", db: "none" },
    acceptance_criteria: ["done"],
  };
  await scratch.kernel.features.submitPlan(callAs(), { ...LETTERS, plan_json });
  const at = (path: string) => join(scratch.root, path);
  scratch.write("src/moved/x", "");
  renameSync(at("src/zoo.txt"), at("src/moved/zoo.txt"));
  writeFileSync(at("src/moved/zoo.txt"), LONG.replace("line 3", "line three"));
  scratch.write("src/new.txt", "new\n");
  writeFileSync(at("src/b.bin"), Buffer.from([0, 1, 2]));
  scratch.write("src/ö name.txt", "zwei\n");
  chmodSync(at("src/run.sh"), 0o755);
  scratch.git("add", "--all", "--", "src");
  scratch.git("rm", "--quiet", "--cached", "src/moved/x");
  scratch.git("rm", "--quiet", "src/a.txt");
  const unified_diff = scratch.git("diff", "--cached", "--binary", "--full-index");
  scratch.git("reset", "--quiet", "--hard");
  await scratch.kernel.features.applyPatch(callAs(), { ...LETTERS, unified_diff });
});
afterEach(() => scratch.close());

test("the changed files are those between the base and the recorded tree, with renames, sorted by path", async () => {
  scratch.write(".worktrees/letters/src/b.txt", "not recorded\n");
  expect(await scratch.kernel.features.changedFiles("letters")).toEqual([
    { path: "src/a.txt", change_type: "deleted" },
    { path: "src/b.bin", change_type: "modified" },
    { path: "src/moved/zoo.txt", change_type: "renamed", old_path: "src/zoo.txt" },
    { path: "src/new.txt", change_type: "added" },
    { path: "src/run.sh", change_type: "modified" },
    { path: "src/ö name.txt", change_type: "modified" },
  ]);
});

describe("the text of the change", () => {
  test("shows text files, and names binary files", async () => {
    const { text, truncated, bytes } = await scratch.kernel.features.diffText("letters");
    expect(text).toContain("--- a/src/ö name.txt\t\n+++ b/src/ö name.txt\t\n@@ -1 +1 @@\n-one\n+zwei\n");
    expect(text).toContain("Binary files a/src/b.bin and b/src/b.bin differ");
    expect([truncated, bytes]).toEqual([false, Buffer.byteLength(text)]);
  });

  test("is cut at the limit, not within a character", async () => {
    const { features } = scratch.kernel;
    const whole = await features.diffText("letters");
    const start = Buffer.from(whole.text).indexOf("ö");
    expect(await features.diffText("letters", { max_bytes: start + 1 })).toEqual({
      text: Buffer.from(whole.text).toString("utf8", 0, start),
      truncated: true,
      bytes: whole.bytes,
    });
    expect(await features.diffText("letters", { max_bytes: whole.bytes })).toEqual(whole);
  });
});

describe("a file of the change", () => {
  test("is read at the base and now", async () => {
    const read = scratch.kernel.features.readAt;
    expect([await read("letters", "base", "src/ö name.txt"), await read("letters", "now", "src/ö name.txt")]).toEqual(["one\n", "zwei\n"]);
    expect([await read("letters", "base", "src/a.txt"), await read("letters", "now", "src/a.txt")]).toEqual(["one\n", null]);
    expect([await read("letters", "base", "check.sh"), await read("letters", "base", "src/b.bin")]).toEqual([
      scratch.read("check.sh"),
      "text for now\n",
    ]);
  });

  test.each(["src/b.bin", "src", "src/none.txt", "../repository/check.sh", "./check.sh", ".git/config", "/etc/hostname", ""])(
    "%j is null",
    async (path) => {
      expect(await scratch.kernel.features.readAt("letters", "now", path)).toBeNull();
    },
  );
});

test("an unknown feature is an error", async () => {
  const { changedFiles, diffText, readAt } = scratch.kernel.features;
  for (const read of [changedFiles("nobody"), diffText("nobody"), readAt("nobody", "now", "check.sh")])
    await expect(read).rejects.toMatchObject({ code: "feature_not_found" });
});
