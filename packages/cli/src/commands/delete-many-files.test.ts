import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { lettersToApprove } from "../testing/project.ts";

test("a worktree with 30,000 files is deleted with --force: at most 20,000 are anchored, and it says how many were not", async () => {
  const project = await lettersToApprove();
  const worktree = join(project.root, ".worktrees/letters");
  mkdirSync(join(worktree, "out/deep"), { recursive: true });
  execFileSync("sh", ["-c", "seq 30000 | xargs touch"], { cwd: join(worktree, "out/deep") });
  project.write(join(worktree, "src/mine.txt"), "by hand\n");
  const { code, stdout, stderr } = await project.slipway(["delete", "letters", "--force"]);
  expect(code, stderr).toBe(0);
  expect(stdout).toMatch(
    /^kept +keep +the worktree's bytes are under refs\/slipway\/\S+\nremoved +keep +dropped what exceeds 512 MiB or 20000 files: out\/deep\/\d+, .* and 99\d\d more\n/m,
  );
  const [, ref = ""] = /bytes are under (\S+)/.exec(stdout) ?? [];
  const kept = project.git("ls-tree", "-r", "--name-only", ref).trim().split("\n");
  expect(kept).toEqual(expect.arrayContaining(["src/mine.txt", "src/a.txt"]));
  expect(kept.filter((path) => path.startsWith("out/")).length).toBeGreaterThan(19_000);
  expect(kept.length).toBeLessThan(20_000 + 20);
  expect(existsSync(worktree)).toBe(false);
});
