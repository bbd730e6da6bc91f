import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { rollbackCommand } from "./rollback.ts";

const TAG = "pipeline-baseline-2026-02-26T14-30-00Z";

function repository() {
  const folder = mkdtempSync(join(tmpdir(), "slipway-rollback-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=kim", "-c", "user.email=kim@localhost", ...args], { cwd: folder, encoding: "utf8" });
  const write = (path: string, text: string) => writeFileSync(join(folder, path), text);
  git("init", "--quiet");
  write("kept.txt", "kept\n");
  write("changed.txt", "before\n");
  write("it's gone.txt", "here\n");
  git("add", "-A");
  git("commit", "--quiet", "-m", "start");
  git("tag", TAG);
  write("changed.txt", "after\n");
  rmSync(join(folder, "it's gone.txt"));
  write(":(top)new.txt", "new\n");
  write("new u.txt", "not of this change\n");
  git("add", "-A");
  const sh = (command: string) => execFileSync("sh", ["-c", command], { cwd: folder, encoding: "utf8" });
  return { folder, git, sh, read: (path: string) => readFileSync(join(folder, path), "utf8") };
}

test("[FOR-044] a committed change is reverted from the tag to HEAD", () => {
  const { git, sh, read, folder } = repository();
  git("commit", "--quiet", "-m", "change");
  const command = rollbackCommand({ tag: TAG, committed: true, files: ["changed.txt"] });
  expect(command).toBe(`git revert --no-commit ${TAG}..HEAD`);
  sh(command);
  expect(git("diff", "--cached", TAG)).toBe("");
  expect(read("changed.txt")).toBe("before\n");
  expect(existsSync(join(folder, ":(top)new.txt"))).toBe(false);
});

test("[FOR-044] a staged change without a commit is restored from the tag: changed, deleted and new files, and no others", () => {
  const { sh, read, git, folder } = repository();
  const command = rollbackCommand({ tag: TAG, committed: false, files: [":(top)new.txt", "it's gone.txt", "changed.txt"] });
  expect(command).not.toContain("revert");
  sh(command);
  expect([read("changed.txt"), read("it's gone.txt"), read("kept.txt")]).toEqual(["before\n", "here\n", "kept\n"]);
  expect(existsSync(join(folder, ":(top)new.txt"))).toBe(false);
  expect(git("status", "--porcelain").trim()).toBe('A  "new u.txt"');
});

test("without a change there is nothing to restore", () => {
  expect(rollbackCommand({ tag: TAG, committed: false, files: [] })).toBe("# Nothing was changed.");
});
