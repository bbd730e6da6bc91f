import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemHost } from "@slipway/durable/host";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openRunLease } from "../../record/run-lease/lease.ts";
import { callAs as call, LETTERS as letters, lettersOn } from "../testing/letters.ts";
import { openScratchKernel, type ScratchKernel } from "../testing/scratch-kernel.ts";

let scratch: ScratchKernel;
let feature: ReturnType<typeof lettersOn>;
beforeEach(async () => {
  scratch = await openScratchKernel();
  feature = lettersOn(scratch);
});
afterEach(() => scratch.close());

const remove = (more: { dry_run?: boolean; force?: boolean } = {}, by = call()) =>
  scratch.kernel.features.delete(by, { ...letters, ...more });
const codes = (reasons: readonly { code: string }[]) => reasons.map(({ code }) => code);
const rows = (table: "features") => scratch.records.database.db.selectFrom(table).selectAll().execute();

describe("[FEA-171] what is never deleted", () => {
  test.each(["main", "another worktree"])("a branch that is checked out in %s", async (where) => {
    await feature.init();
    rmSync(join(scratch.root, ".worktrees"), { recursive: true });
    scratch.git("worktree", "prune");
    if (where === "main") scratch.git("switch", "--quiet", "letters");
    else scratch.git("worktree", "add", "--quiet", "../theirs", "letters");
    await expect(remove({ force: true })).rejects.toMatchObject({
      code: "delete_refused",
      details: { reasons: [{ code: "protected_branch", force_helps: false }] },
    });
    expect(scratch.git("rev-parse", "letters").trim()).not.toBe("");
  });

  test("a worktree that is on another branch", async () => {
    await feature.init();
    scratch.git("-C", ".worktrees/letters", "switch", "--quiet", "--create", "theirs");
    expect(codes((await remove({ dry_run: true })).reasons)).toEqual(["worktree_swapped"]);
    scratch.git("-C", ".worktrees/letters", "switch", "--quiet", "--detach");
    await expect(remove({ force: true })).rejects.toMatchObject({
      code: "delete_refused",
      message: expect.stringContaining("on no branch"),
    });
  });

  test("the base branch, even if the policy has made the feature's branch the base", async () => {
    await feature.init();
    await scratch.records.database.db.updateTable("features").set({ base_branch: "Letters" }).execute();
    expect(codes((await remove({ dry_run: true })).reasons)).toContain("protected_branch");
  });

  test("another folder in place of the worktree", async () => {
    await feature.init();
    rmSync(join(scratch.root, ".worktrees/letters/.git"));
    mkdirSync(join(scratch.root, ".worktrees/letters/.git"));
    await expect(remove({ force: true })).rejects.toMatchObject({ code: "delete_refused" });
    expect(existsSync(join(scratch.root, ".worktrees/letters/src/a.txt"))).toBe(true);
  });

  test("a feature that a live run works on: run_lease_held, also with force", async () => {
    await feature.init();
    const { records } = scratch;
    const lease = openRunLease({ ...records, host: { ...systemHost(), pid: process.ppid, startedAt: "" } });
    await lease.take("run1");
    expect(codes((await remove({ dry_run: true })).reasons)).toEqual(["run_lease_held"]);
    for (const force of [true, false])
      await expect(remove({ force })).rejects.toMatchObject({ code: "run_lease_held", details: { run_id: "run1" } });
    expect(existsSync(join(scratch.root, ".worktrees/letters"))).toBe(true);
    await lease.release();
    expect((await remove()).steps.length).toBeGreaterThan(5);
  });
});

describe("changes during the deletion", () => {
  /** Runs between the removal of the files and the transaction. */
  async function inBetween(happens: () => void) {
    await scratch.close();
    scratch = await openScratchKernel(
      {},
      { observe: ({ phase, name }) => name === "feature.delete" && phase === "effect_done" && happens() },
    );
    feature = lettersOn(scratch);
    await feature.init();
  }

  test("a concurrent change stops it; the next call removes the rest", async () => {
    let times = 0;
    await inBetween(() => {
      times += 1;
      if (times === 1) void scratch.records.database.db.updateTable("features").set({ version: 2 }).execute();
    });
    await expect(remove()).rejects.toMatchObject({ code: "version_conflict", details: { expected_version: 1, actual_version: 2 } });
    expect(await rows("features")).toHaveLength(1);
    await remove();
    expect(await rows("features")).toEqual([]);
  });

  test("after a concurrent deletion there is nothing to do", async () => {
    await inBetween(() => void scratch.records.database.db.deleteFrom("features").execute());
    await expect(remove()).rejects.toMatchObject({ code: "version_conflict", details: { actual_version: null } });
  });

  test("a run that begins to work on it stops it, too", async () => {
    await inBetween(() => {
      const { host, pid, startedAt: process_start } = systemHost();
      const lease = { name: "repository" as const, epoch: 1, run_id: "run1", host, pid, process_start, expires_at: Date.now() + 60_000 };
      void scratch.records.database.db.insertInto("run_lease").values(lease).execute();
    });
    await expect(remove()).rejects.toMatchObject({ code: "run_lease_held" });
    expect(await rows("features")).toHaveLength(1);
  });
});

describe("[FEA-171] after a partial failure, repeating the call removes the rest", () => {
  test("a branch whose ref was locked: the answer lists what was removed", async () => {
    await feature.init();
    const lock = join(scratch.root, ".git/refs/heads/letters.lock");
    writeFileSync(lock, "");
    await expect(remove()).rejects.toMatchObject({
      code: "git_failed",
      message: expect.stringContaining("only partly deleted"),
      details: {
        steps: [{ step: "worktree", outcome: "removed" }],
        suggested_next_actions: [expect.stringContaining("delete the feature again")],
      },
    });
    expect(await rows("features")).toHaveLength(1);
    rmSync(lock);
    expect((await remove()).steps.map(({ step, outcome }) => `${step} ${outcome}`).slice(0, 3)).toEqual([
      "worktree absent",
      "branch removed",
      "files removed",
    ]);
    expect(await rows("features")).toEqual([]);
  });

  test.each([
    ["the worktree", () => rmSync(join(scratch.root, ".worktrees/letters"), { recursive: true })],
    ["the registration", () => rmSync(join(scratch.root, ".git/worktrees"), { recursive: true })],
    [
      "worktree and branch",
      () => (scratch.git("worktree", "remove", "--force", ".worktrees/letters"), scratch.git("branch", "-D", "letters")),
    ],
    ["the folder", () => rmSync(join(scratch.root, ".slipway/features/letters"), { recursive: true })],
  ])("when an earlier attempt had removed %s", async (what, earlier) => {
    await feature.init();
    earlier();
    if (what === "the registration") rmSync(join(scratch.root, ".worktrees/letters"), { recursive: true });
    const { steps } = await remove();
    expect(steps.map(({ step }) => step)).toEqual(expect.arrayContaining(["worktree", "branch", "files", "index"]));
    expect(scratch.git("branch", "--list", "letters")).toBe("");
    expect(scratch.git("worktree", "list").trim().split("\n")).toHaveLength(1);
    expect([existsSync(join(scratch.root, ".slipway/features/letters")), await rows("features")]).toEqual([false, []]);
  });
});

test("[FEA-167] an unknown or deleted feature is named; the same call gets the same answer", async () => {
  await expect(remove()).rejects.toMatchObject({ code: "feature_not_found" });
  await expect(remove({ dry_run: true })).rejects.toMatchObject({ code: "feature_not_found" });
  await feature.init();
  const by = call();
  const first = await remove({}, by);
  expect(await remove({}, by)).toEqual(first);
  await expect(remove()).rejects.toMatchObject({ code: "feature_not_found" });
  expect(scratch.git("for-each-ref", "refs/slipway")).toBe("");
});
