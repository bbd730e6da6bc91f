import { existsSync } from "node:fs";
import { join } from "node:path";
import { systemHost } from "@slipway/durable/host";
import { afterEach, beforeEach, expect, test } from "vitest";
import { checksOf } from "../judge/evidence/checks.ts";
import { openRunLease } from "../../record/run-lease/lease.ts";
import { callAs, LETTERS, lettersOn } from "../testing/letters.ts";
import { openScratchKernel, type ScratchKernel } from "../testing/scratch-kernel.ts";

let scratch: ScratchKernel;
let feature: ReturnType<typeof lettersOn>;
beforeEach(async () => {
  scratch = await openScratchKernel();
  feature = lettersOn(scratch);
});
afterEach(() => scratch.close());

const clean = (actor: "person" | "builder" = "person") => scratch.kernel.features.clean(callAs(actor), LETTERS);
const worktree = () => join(scratch.root, ".worktrees/letters");
const branches = () => scratch.git("branch", "--list", "letters", "--format=%(refname:short)").trim();
async function merged() {
  const candidate = await feature.ready();
  await scratch.kernel.features.merge(callAs(), { ...LETTERS, user_approval_token: scratch.sign(candidate) });
}

test("removes worktree and branch of a merged feature, keeps its row, folder and evidence; a repeat finds nothing", async () => {
  await merged();
  const before = await feature.row();
  await expect(clean("builder")).rejects.toMatchObject({ code: "forbidden_tool_for_role" });
  expect((await clean()).steps).toMatchObject([
    { step: "worktree", outcome: "removed" },
    { step: "branch", outcome: "removed" },
  ]);
  expect([existsSync(worktree()), branches()]).toEqual([false, ""]);
  expect(await feature.row()).toMatchObject({ status: "merged", tree: before.tree });
  expect(scratch.read(".slipway/features/letters/spec.md")).toBe("# Letters\n");
  expect(await checksOf(scratch.records.database.db, LETTERS)).not.toEqual([]);
  expect((await clean()).steps.map(({ outcome }) => outcome)).toEqual(["absent", "absent"]);
});

test("a person's edits and commits are named, and everything is kept", async () => {
  await merged();
  scratch.write(".worktrees/letters/mine.txt", "by hand\n");
  await expect(clean()).rejects.toMatchObject({
    code: "delete_refused",
    message: expect.stringMatching(/^The worktree and branch of "letters" were kept: .*mine\.txt/) as string,
    details: { reasons: [{ code: "uncommitted_changes" }] },
  });
  scratch.git("-C", ".worktrees/letters", "add", "--all");
  scratch.git("-C", ".worktrees/letters", "commit", "--quiet", "--message=mine");
  await expect(clean()).rejects.toMatchObject({ details: { reasons: [{ code: "unmerged_commits" }] } });
  expect(scratch.read(".worktrees/letters/mine.txt")).toBe("by hand\n");
  expect(branches()).toBe("letters");
});

test("an unmerged feature is not cleaned", async () => {
  await feature.built();
  await expect(clean()).rejects.toMatchObject({
    code: "delete_refused",
    message: '"letters" is building; only merged features can be cleaned.',
  });
  expect(existsSync(worktree())).toBe(true);
});

test("a feature of a live run is left alone", async () => {
  await merged();
  const { database, clock, journal } = scratch.records;
  const lease = openRunLease({ database, clock, journal, host: { ...systemHost(), pid: process.ppid, startedAt: "" } });
  await lease.take("run1");
  await expect(clean()).rejects.toMatchObject({ code: "run_lease_held", details: { run_id: "run1" } });
  expect(existsSync(worktree())).toBe(true);
});
