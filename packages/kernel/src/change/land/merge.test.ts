import { existsSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "@slipway/durable/environment";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { callAs, LETTERS, lettersOn } from "../testing/letters.ts";
import {
  openScratchKernel,
  PERSON,
  POLICY,
  replaceLine,
  scratchPlan,
  type ScratchKernel,
  type ScratchOptions,
} from "../testing/scratch-kernel.ts";

let scratch: ScratchKernel;
let feature: ReturnType<typeof lettersOn>;
const open = async (files: Record<string, string> = {}, options: ScratchOptions = {}) => {
  scratch = await openScratchKernel(files, options);
  feature = lettersOn(scratch);
};
const reopen = async (policy: string, options?: ScratchOptions) => {
  await scratch.close();
  await open({ "slipway/policy.yaml": policy }, options);
};
beforeEach(() => open());
afterEach(() => scratch.close());

const AN_HOUR = 3_600_000;
const WITHOUT_APPROVAL = POLICY.replace("merge_policy: {", "merge_policy: { require_user_approval: false,");
const main = () => scratch.git("rev-parse", "main").trim();
const merge = (token: string | null, more: Record<string, unknown> = {}, call = callAs()) =>
  scratch.kernel.features.merge(call, { ...LETTERS, ...(token === null ? {} : { user_approval_token: token }), ...more });
const locks = () =>
  scratch.records.database.db.selectFrom("locks").select(["resource", "holder"]).where("holder", "is not", null).execute();
const theirs = (path: string, text: string) => {
  scratch.write(path, text);
  scratch.git("commit", "--quiet", "--all", "--message=theirs");
};

/** A feature that holds the lock its contract change needs. */
async function readyWithLock() {
  await feature.init();
  await scratch.kernel.features.acquireLocks(callAs(), { ...LETTERS, resources: ["openapi"] });
  const plan_json = scratchPlan("letters", { contracts: { openapi: "modify", events: "none", db: "none" } });
  await scratch.kernel.features.submitPlan(callAs(), { ...LETTERS, plan_json });
  await scratch.kernel.features.applyPatch(callAs(), { ...LETTERS, unified_diff: replaceLine("src/a.txt", "one", "two") });
  for (const [mode, to] of [
    ["fast", "qa"],
    ["full", "ready_to_merge"],
  ] as const) {
    await scratch.kernel.features.runGates(callAs(), { ...LETTERS, mode });
    await scratch.kernel.features.changeStatus(callAs(), { ...LETTERS, to, reason: "passed" });
  }
  return scratch.kernel.features.candidate(callAs(), LETTERS);
}

describe("a merge", () => {
  test.each(["merge_commit", "squash", "rebase"] as const)(
    "[FEA-088] [FEA-090] %s lands exactly the gated tree, once, with its own commit structure",
    async (merge_strategy) => {
      await readyWithLock();
      const words = { merge_strategy, commit_message: "Letters" };
      const candidate = await scratch.kernel.features.candidate(callAs(), { ...LETTERS, ...words });
      const before = main();
      const token = scratch.sign(candidate);
      const call = callAs();
      const landing = await merge(token, words, call);
      expect(landing).toMatchObject({ tree: candidate.tree, base_before: before, approved_by: "kim", checkout_updated: true });
      const parents = scratch.git("log", "-1", "--format=%P", "main").trim().split(" ");
      expect(parents).toEqual(merge_strategy === "merge_commit" ? [before, landing.feature_commit] : [before]);
      expect(landing.commit === landing.feature_commit).toBe(merge_strategy === "rebase");
      // One commit on the feature's branch, with the message and the whole change.
      expect(scratch.git("rev-list", `${before}..letters`).trim()).toBe(landing.feature_commit);
      expect(scratch.git("log", "-1", "--format=%B", "letters").trim()).toBe(
        `Letters\n\nSlipway-Feature: letters\nSlipway-Change: ${candidate.change}\nApproved-by: kim`,
      );
      expect(scratch.git("rev-parse", "letters^{tree}").trim()).toBe(candidate.tree);
      expect(scratch.git("status", "--porcelain")).toBe("");
      expect(scratch.git("-C", ".worktrees/letters", "status", "--porcelain")).toBe("");
      expect(await locks()).toEqual([]);
      expect((await feature.row()).status).toBe("merged");
      expect(await merge(token, words, call)).toEqual(landing);
      await expect(merge(token)).rejects.toMatchObject({ code: "invalid_status_transition" });
      expect(main()).toBe(landing.commit);
    },
  );

  test("[FEA-087] uses the approval up, in the transaction that records the merge", async () => {
    await feature.ready();
    const candidate = await scratch.kernel.features.candidate(callAs(), LETTERS);
    const token = scratch.sign(candidate);
    const used = () => scratch.records.database.db.selectFrom("approvals").select(["feature_id", "change", "token"]).execute();
    expect(await used()).toEqual([]);
    await merge(token);
    expect(await used()).toEqual([{ feature_id: "letters", change: candidate.change, token }]);
  });

  test("[FEA-090] its evidence has both commits, the strategy and the gate results", async () => {
    await feature.ready();
    const words = { merge_strategy: "squash" };
    const candidate = await scratch.kernel.features.candidate(callAs(), { ...LETTERS, ...words });
    const { commit, feature_commit } = await merge(scratch.sign(candidate), words);
    const row = await scratch.records.database.db.selectFrom("merges").selectAll().executeTakeFirstOrThrow();
    expect(row).toMatchObject({ commit_sha: commit, feature_commit, strategy: "squash", change: candidate.change });
    const snapshot = JSON.parse(row.gate_snapshot ?? "") as { gates: object; runs: { mode: string; status: string }[] };
    expect(snapshot.gates).toMatchObject({ plan: "pass", fast: "pass", full: "pass" });
    expect(snapshot.runs.map(({ mode, status }) => `${mode} ${status}`).toSorted()).toEqual(["fast pass", "full pass"]);
  });

  test("[FEA-088] a strategy that the policy does not allow is merge_disabled", async () => {
    await reopen(POLICY.replace("[merge_commit, squash, rebase]", "[squash]"));
    const candidate = await feature.ready();
    for (const merge_strategy of ["rebase", "octopus"])
      await expect(merge(scratch.sign(candidate), { merge_strategy })).rejects.toMatchObject({
        code: "merge_disabled",
        details: { allowed: ["squash"] },
      });
    expect(main()).toBe(candidate.base);
    expect(await merge(scratch.sign(candidate))).toMatchObject({ strategy: "squash" });
  });

  test("[FEA-086] needs the status, and passed gates on the tree that merges, not on an earlier one", async () => {
    await feature.built();
    await expect(merge("x")).rejects.toMatchObject({ code: "invalid_status_transition", details: { from: "building", to: "merged" } });
    await scratch.close();
    await open();
    const candidate = await feature.ready();
    await scratch.kernel.features.applyPatch(callAs(), { ...LETTERS, unified_diff: replaceLine("src/a.txt", "two", "three") });
    await expect(merge(scratch.sign(candidate))).rejects.toMatchObject({ code: "gate_failed", details: { mode: "full" } });
    expect(main()).toBe(candidate.base);
  });

  test("[FEA-086] also needs the policy's required_merge_mode", async () => {
    const gates = `version: 1
profiles:
  default:
    modes: { fast: [{ name: a, cmd: ["true"] }], full: [{ name: a, cmd: ["true"] }], merge: [{ name: a, cmd: [sh, merge.sh] }] }
`;
    await scratch.close();
    await open({
      "slipway/gates.yaml": gates,
      // Passes once.
      "merge.sh": 'test ! -e "$PWD/../../ran" && touch "$PWD/../../ran"\n',
      "slipway/policy.yaml": POLICY.replace("required_merge_mode: full", "required_merge_mode: merge"),
    });
    await feature.built();
    const { features } = scratch.kernel;
    for (const mode of ["fast", "full", "merge"]) await features.runGates(callAs(), { ...LETTERS, mode });
    for (const to of ["qa", "ready_to_merge"] as const) await features.changeStatus(callAs(), { ...LETTERS, to, reason: to });
    const candidate = await features.candidate(callAs(), LETTERS);
    expect(await features.runGates(callAs(), { ...LETTERS, mode: "merge" })).toMatchObject({ passed: false });
    await expect(merge(scratch.sign(candidate))).rejects.toMatchObject({ code: "gate_failed", details: { mode: "merge" } });
  });

  test("[FEA-048] commit_policy does not apply to it", async () => {
    const candidate = await feature.ready();
    expect(scratch.kernel.configuration.policy.commit_policy).toEqual({ allow_commit: false, allow_merge: false });
    expect((await merge(scratch.sign(candidate))).commit).toBe(main());
  });

  test("[FEA-126] no caller can set the status merged directly", async () => {
    await feature.ready();
    await expect(scratch.kernel.features.changeStatus(callAs(), { ...LETTERS, to: "merged", reason: "r" })).rejects.toMatchObject({
      code: "invalid_status_transition",
    });
  });

  test("bytes that changed after the gate do not merge", async () => {
    const candidate = await feature.ready();
    scratch.write(".worktrees/letters/src/a.txt", "slipped in\n");
    await expect(merge(scratch.sign(candidate))).rejects.toMatchObject({
      code: "worktree_edited",
      details: { files: [{ path: "src/a.txt", status: "M" }], commits: [], kept_branch: "slipway/kept/letters-1" },
    });
    expect(scratch.git("show", "main:src/a.txt")).toBe("one\n");
    expect(feature.file("src/a.txt")).toBe("slipped in\n");
  });
});

describe("an approval", () => {
  test.each([
    ["missing", () => null],
    ["empty", () => ""],
    ["not a token", () => "yes please"],
    ["for another feature", (facts: Record<string, string>) => scratch.sign({ ...facts, feature_id: "other" } as never)],
    ["for another change", (facts: Record<string, string>) => scratch.sign({ ...facts, change: "0".repeat(64) } as never)],
    ["for another tree", (facts: Record<string, string>) => scratch.sign({ ...facts, tree: "0".repeat(40) } as never)],
    ["given in another clone", (facts: Record<string, string>) => scratch.sign({ ...facts, repository: "0".repeat(64) } as never)],
    ["for another commit message", (facts: Record<string, string>) => scratch.sign({ ...facts, message_digest: "0".repeat(64) } as never)],
    ["expired", (facts: Record<string, string>) => scratch.sign(facts as never, Date.now())],
    ["under another policy", (facts: Record<string, string>) => scratch.sign({ ...facts, policy_hash: "other" } as never)],
    ["signed with another key", (facts: Record<string, string>) => scratch.sign(facts as never).replace(/.{8}$/, "AAAAAAAA")],
  ])("[FEA-087] attack 47: that is %s merges nothing", async (_what, token) => {
    const candidate = await feature.ready();
    await expect(merge(token(candidate as never))).rejects.toMatchObject({ code: "user_approval_required" });
    expect(main()).toBe(candidate.base);
    expect((await feature.row()).status).toBe("ready_to_merge");
  });

  test("[FEA-087] is not needed if the policy says so; one that is given anyway must be valid", async () => {
    await reopen(WITHOUT_APPROVAL);
    const candidate = await feature.ready();
    await expect(merge("yes please")).rejects.toMatchObject({ code: "user_approval_required" });
    const landing = await merge(null, { commit_message: "Letters" });
    expect(landing).toMatchObject({ commit: main(), tree: candidate.tree });
    expect(landing.approved_by).toContain("require_user_approval is false");
    expect(scratch.git("log", "-1", "--format=%B", "letters")).not.toContain("Approved-by");
  });

  test("only permitted roles may call it", async () => {
    const candidate = await feature.ready();
    for (const role of ["planner", "builder", "qa"] as const)
      await expect(merge(scratch.sign(candidate), {}, callAs(role))).rejects.toMatchObject({ code: "forbidden_tool_for_role" });
    expect((await merge(scratch.sign(candidate), {}, { actor: PERSON, operationId: "mine" })).commit).toBe(main());
  });
});

describe("the base does not move", () => {
  test("[FEA-090] in a conflict: merge_failed; base, status and locks stay", async () => {
    const candidate = await readyWithLock();
    theirs("src/a.txt", "theirs\n");
    const before = main();
    await expect(merge(scratch.sign(candidate))).rejects.toMatchObject({ code: "merge_failed", details: { conflicts: ["src/a.txt"] } });
    expect(main()).toBe(before);
    expect((await feature.row()).status).toBe("ready_to_merge");
    expect(await locks()).toEqual([{ resource: "openapi", holder: "letters" }]);
  });

  test("when the base has moved elsewhere: the change must be rebuilt and gated again", async () => {
    const candidate = await feature.ready();
    theirs("src/b.txt", "theirs\n");
    const before = main();
    await expect(merge(scratch.sign(candidate))).rejects.toMatchObject({ code: "base_moved", details: { retryable: true } });
    expect(main()).toBe(before);
  });

  test("[FEA-116] when a lock was lost", async () => {
    const candidate = await readyWithLock();
    await scratch.records.database.db.updateTable("locks").set({ expires_at: 0 }).execute();
    await expect(merge(scratch.sign(candidate))).rejects.toMatchObject({ code: "lock_not_held", details: { resources: ["openapi"] } });
    expect(main()).toBe(candidate.base);
  });

  test("[FEA-116] when a lock expires after git has locked the refs", async () => {
    const refsAreLocked = () => existsSync(join(scratch.root, ".git/refs/heads/main.lock"));
    const now = () => systemClock.now() + (refsAreLocked() ? 3_600_000 : 0);
    await reopen(POLICY, { clock: { ...systemClock, now } });
    const candidate = await readyWithLock();
    await expect(merge(scratch.sign(candidate))).rejects.toMatchObject({ code: "lock_not_held", details: { resources: ["openapi"] } });
    expect(main()).toBe(candidate.base);
    expect(scratch.read("src/a.txt")).toBe("one\n");
    expect(scratch.git("status", "--porcelain")).toBe("");
    expect((await feature.row()).status).toBe("ready_to_merge");
  });
});

describe("a merge that was not recorded", () => {
  test.each([
    ["with an approval", POLICY],
    ["without one", WITHOUT_APPROVAL],
  ])("but landed, %s: the repeat records it, even if lock and approval have expired since", async (_what, policy) => {
    let crash = true;
    let ahead = 0;
    await reopen(policy, {
      clock: { ...systemClock, now: () => systemClock.now() + ahead },
      observe({ phase, name }) {
        if (phase === "effect_done" && name === "feature.ready_to_merge" && crash) throw new Error("the process dies here");
      },
    });
    const candidate = await readyWithLock();
    const token = policy === POLICY ? scratch.sign(candidate, systemClock.now() + AN_HOUR) : null;
    const call = callAs();
    await expect(merge(token, {}, call)).rejects.toThrow("the process dies here");
    const landed = main();
    expect(landed).not.toBe(candidate.base);
    crash = false;
    ahead = 2 * AN_HOUR;
    expect(await merge(token, {}, call)).toMatchObject({ commit: landed, tree: candidate.tree });
    expect(main()).toBe(landed);
    expect((await feature.row()).status).toBe("merged");
  });

  test("whose process died before it landed is not repeated under an approval that has expired since", async () => {
    let crash = true;
    let ahead = 0;
    await reopen(POLICY, {
      clock: { ...systemClock, now: () => systemClock.now() + ahead },
      observe({ phase, name }) {
        if (phase === "started" && name === "feature.ready_to_merge" && crash) throw new Error("the process dies here");
      },
    });
    const candidate = await feature.ready();
    const token = scratch.sign(candidate, systemClock.now() + AN_HOUR);
    const call = callAs();
    await expect(merge(token, {}, call)).rejects.toThrow("the process dies here");
    crash = false;
    ahead = 2 * AN_HOUR;
    await expect(merge(token, {}, call)).rejects.toMatchObject({ code: "user_approval_required", details: { reason: "expired" } });
    expect(main()).toBe(candidate.base);
  });
});
