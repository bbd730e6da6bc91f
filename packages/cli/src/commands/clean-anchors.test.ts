import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { lettersToApprove, type Project } from "../testing/project.ts";

const clean = (project: Project, ...more: readonly string[]) => project.slipway(["clean", "--anchors", ...more]);
const NOTHING = "No anchor is too old or too large.";

function anchors(project: Project): string[] {
  return project
    .git("for-each-ref", "--format=%(refname)", "refs/slipway")
    .split("\n")
    .filter((line) => line !== "");
}

describe("B15: slipway clean --anchors", () => {
  test("lists what a deleted feature left if it is too old or too large, and drops it only with --yes", async () => {
    const project = await lettersToApprove();
    writeFileSync(join(project.root, ".worktrees/letters/src/large"), randomBytes(3 * 1024 ** 2));
    await project.slipway(["delete", "letters", "--force"]);
    const made = anchors(project);
    expect(made.length).toBeGreaterThan(1);
    // Its run could still need them.
    expect((await clean(project, "--older-than", "0", "--yes")).stdout).toBe(`${NOTHING}\n`);
    await project.slipway(["resume", "--cassette", project.cassette]);
    expect((await clean(project, "--yes")).stdout).toBe(`${NOTHING} ${made.length} of deleted features and of leftovers are kept.\n`);
    const { stdout } = await clean(project, "--most", "2");
    expect(stdout).toMatch(/^would drop letters: deleted feature, not merged, 0 days ago, 3\.0 MiB\n {2}refs\/slipway\/\S+deleted\n/);
    expect(stdout).toMatch(/\nNothing was changed\.\n {2}next: .*\n {2}next: the same command with --yes drops them\n$/);
    await clean(project, "--older-than", "0", "--dry-run");
    expect(anchors(project)).toEqual(made);
    expect((await project.slipway(["restore", "letters"])).code).toBe(0);
    const [dropped] = (await clean(project, "--older-than", "0", "--yes", "--json")).json<{ dropped: string[] }>();
    expect(dropped?.dropped.toSorted()).toEqual(made);
    expect(anchors(project)).toEqual([]);
    // A branch of it stays.
    expect(project.git("show", "restored/letters-1:src/a.txt")).toBe("two\n");
    expect((await project.slipway(["journal", "verify"])).code).toBe(0);
    expect((await clean(project, "--older-than", "0")).stdout).toBe(`${NOTHING}\n`);
  });

  test("never lists the work of a feature that exists; of a merged one only what gates left in its worktree", async () => {
    const project = await lettersToApprove();
    const made = anchors(project);
    const run = made[0]?.split("/")[2] ?? "";
    const leftovers = `refs/slipway/${run}/gates%3afast%3a1%2fafter-1%2ffound`;
    const work = `refs/slipway/${run}/gates%3afast%3a1%2ffound`;
    for (const ref of [leftovers, work]) project.git("update-ref", ref, made[0] ?? "");
    expect((await clean(project, "--older-than", "0", "--yes")).stdout).toBe(`${NOTHING}\n`);
    await project.slipway(["approve"]);
    expect((await project.slipway(["merge"])).code).toBe(0);
    const all = anchors(project);
    expect((await clean(project, "--older-than", "0", "--yes")).stdout).toMatch(
      /^dropped letters: what a gate left in its worktree, \d+ days? ago, 0\.0 MiB\n {2}\S+after-1%2ffound\ngit frees their bytes with its next collection\.\n$/,
    );
    expect(anchors(project)).toEqual(all.filter((ref) => ref !== leftovers));
    expect(anchors(project)).toContain(work);
  });

  test("lists nothing of a feature that is not merged, even if its run has ended, nor of a deleted one whose name it has", async () => {
    const project = await lettersToApprove();
    await project.slipway(["delete", "letters", "--force"]);
    await project.slipway(["resume", "--cassette", project.cassette]);
    expect((await project.run()).code).toBe(23);
    const [{ run_id } = {}] = project.sql("SELECT run_id FROM features");
    await project.slipway(["stop", String(run_id).split("/")[0] ?? "", "--cancel"]);
    const [first = ""] = anchors(project);
    for (const run of new Set(anchors(project).map((ref) => ref.split("/")[2])))
      project.git("update-ref", `refs/slipway/${run}/gates%3afast%3a1%2fafter-1%2ffound`, first);
    const all = anchors(project);
    expect((await clean(project, "--older-than", "0", "--yes")).stdout).toBe(`${NOTHING}\n`);
    expect(anchors(project)).toEqual(all);
    await project.slipway(["delete", "letters", "--force"]);
    expect((await clean(project, "--older-than", "0")).stdout).toMatch(/^would drop letters: /);
  });

  test("wrong options are refused", async () => {
    const project = await lettersToApprove();
    const refused: [string, ...string[]][] = [
      ["--older-than needs --anchors.", "--older-than", "3"],
      ["--yes needs --anchors.", "--yes"],
      ["--most takes a whole number, not 'all'.", "--anchors", "--most", "all"],
      ["--dry-run and --yes contradict each other.", "--anchors", "--dry-run", "--yes"],
      ["--anchors takes no feature.", "--anchors", "letters"],
    ];
    for (const [message, ...argv] of refused) {
      const { code, stderr } = await project.slipway(["clean", ...argv]);
      expect([code, stderr.split("\n")[0]]).toEqual([2, `invalid_cli_args: ${message}`]);
    }
  });
});
