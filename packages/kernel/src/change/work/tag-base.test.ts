import { chmodSync, existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { killAfterEffect } from "../testing/kill-after-effect.ts";
import { callAs, LETTERS, lettersOn } from "../testing/letters.ts";
import { openScratchKernel, type ScratchKernel } from "../testing/scratch-kernel.ts";

let scratch: ScratchKernel;
let base: string;
beforeEach(async () => {
  scratch = await openScratchKernel();
  await lettersOn(scratch).built();
  base = scratch.git("rev-parse", "main").trim();
});
afterEach(() => scratch.close());

const TAG = "pipeline-baseline-2026-01-02T03-04-05Z";
const tagBase = (tag = TAG, call = callAs()) => scratch.kernel.features.tagBase(call, { ...LETTERS, tag });
const tags = () => scratch.git("for-each-ref", "--format=%(refname:short) %(objecttype) %(objectname)", "refs/tags").trim();

test("a lightweight tag is created at the base commit, whatever the worktree and main contain by then", async () => {
  scratch.git("commit", "--quiet", "--allow-empty", "--message=later");
  expect(await tagBase()).toEqual({ tag: TAG, commit: base });
  expect(tags()).toBe(`${TAG} commit ${base}`);
});

test("repeats are fine: by the same call, by another, and after a kill", async () => {
  const call = callAs();
  expect(await tagBase(TAG, call)).toEqual(await tagBase(TAG, call));
  expect(await tagBase()).toEqual({ tag: TAG, commit: base });
  expect(killAfterEffect(scratch, "tagBase", "killed", { ...LETTERS, tag: "other" })).toBe("SIGKILL");
  expect(await tagBase("other", { ...callAs(), operationId: "killed" })).toEqual({ tag: "other", commit: base });
  expect(tags().split("\n")).toHaveLength(2);
});

test("a tag at another commit is an error for a person, and is not moved", async () => {
  scratch.git("commit", "--quiet", "--allow-empty", "--message=later");
  scratch.git("tag", TAG);
  const before = tags();
  await expect(tagBase()).rejects.toMatchObject({
    code: "operation_conflict",
    details: { requires_human: true, expected: base, found: scratch.git("rev-parse", "main").trim() },
  });
  expect(tags()).toBe(before);
});

test("a tag that names no commit is not moved either", async () => {
  scratch.git("tag", TAG, scratch.git("rev-parse", "main:check.sh").trim());
  const before = tags();
  await expect(tagBase()).rejects.toMatchObject({ code: "operation_conflict", details: { found: null } });
  expect(tags()).toBe(before);
});

test.each([
  "",
  "--x",
  "-d",
  ".hidden",
  "a..b",
  "a.",
  "a.lock",
  "a.LOCK",
  "a/b",
  "a b",
  "a:b",
  "a~1",
  "a^",
  "a@{1}",
  "a\nb",
  "ü",
  "a".repeat(201),
  "a".repeat(40),
  "HEAD",
])("the tag %j is refused", async (tag) => {
  await expect(tagBase(tag)).rejects.toMatchObject({ code: "schema_validation_failed" });
  expect(tags()).toBe("");
});

test("no hook of the repository runs", async () => {
  const ran = join(scratch.root, "ran");
  scratch.write(".git/hooks/reference-transaction", `#!/bin/sh\ntouch ${ran}\n`);
  chmodSync(join(scratch.root, ".git/hooks/reference-transaction"), 0o755);
  await tagBase();
  expect(existsSync(ran)).toBe(false);
});

test("only the orchestrator and the system may create one", async () => {
  await expect(tagBase(TAG, callAs("builder"))).rejects.toMatchObject({ code: "forbidden_tool_for_role" });
  expect(tags()).toBe("");
});
