import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { POLICY, addFile, openScratchKernel, scratchPlan, type ScratchKernel } from "../testing/scratch-kernel.ts";
import { findFeature } from "./store.ts";

let scratch: ScratchKernel;
let number = 0;
beforeEach(async () => {
  scratch = await openScratchKernel();
});
afterEach(() => scratch.close());

const call = (more: { expectedVersion?: number; operationId?: string } = {}) => ({
  actor: { type: "orchestrator", id: "test" } as const,
  operationId: `op${(number += 1)}`,
  ...more,
});
const row = () => findFeature(scratch.records.database.db, "letters");
const state = async () => (await scratch.kernel.features.getState("letters")).state;

async function init() {
  const spec_digest = await scratch.records.objects.put(Buffer.from("# Letters\n"));
  await scratch.kernel.features.init(call(), { feature_id: "letters", run_id: "run1", spec_source: "letters.md", spec_digest });
}

async function patch(change: Record<string, unknown>, expectedVersion?: number) {
  const seen = expectedVersion ?? (await row()).version;
  return scratch.kernel.features.statePatch(call({ expectedVersion: seen }), { feature_id: "letters", patch: change });
}

describe("feature.state_patch", () => {
  test("[FEA-072] merges the open fields, keeps the rest, and raises the version by one", async () => {
    await init();
    const before = await state();
    const after = await patch({
      cluster: { planner_session_id: "s-1" },
      role_status: { planner: "running" },
      ticket: { id: 7, by: "kim" },
    });
    expect(after).toEqual({
      ...before,
      version: before.version + 1,
      cluster: { ...before.cluster, planner_session_id: "s-1" },
      role_status: { ...before.role_status, planner: "running" },
      ticket: { id: 7, by: "kim" },
      last_updated: after.last_updated,
    });
    expect(await state()).toEqual(after);
  });

  test("[FEA-033] a caller's own properties survive other operations and are in state.md", async () => {
    await init();
    await patch({ ticket: "T-1", "odd key: x": ["- y"] });
    await scratch.kernel.features.submitPlan(call(), { feature_id: "letters", plan_json: scratchPlan("letters") });
    expect(await state()).toMatchObject({ status: "building", ticket: "T-1", "odd key: x": ["- y"] });
    expect(scratch.read(".slipway/features/letters/state.md")).toContain("ticket: T-1");
    await patch({ ticket: null });
    expect(await state()).not.toHaveProperty("ticket");
  });

  test.each([
    ["feature_id", "other"],
    ["version", 99],
    ["branch", "main"],
    ["worktree_path", "/elsewhere"],
    ["gate_profile", "none"],
    ["gates", { full: "pass" }],
    ["locks", { held: ["openapi"] }],
    ["collisions", { files: [{ path: "a" }] }],
    ["source", { spec_sha256: "0" }],
    ["base", { commit: "0" }],
    ["tree", "0"],
    ["last_updated", "2020-01-01T00:00:00.000Z"],
  ])("[FEA-072] %s is owned by the kernel and cannot be forged", async (field, value) => {
    await init();
    const before = await row();
    await expect(patch({ [field]: value, ticket: 1 })).rejects.toMatchObject({
      code: "policy_violation",
      details: { violations: [{ rule: "kernel_owned", message: expect.stringContaining(field) }] },
    });
    expect(await row()).toEqual(before);
  });

  test("a whole state may be sent back unchanged; then nothing changes, not even the version", async () => {
    await init();
    const before = await state();
    expect(await patch(before)).toEqual(before);
  });

  test.each([
    ["/role_status/qa", { role_status: { qa: "asleep" } }],
    ["/cluster/qa_session_id", { cluster: { qa_session_id: null } }],
    ["/status", { status: "finished" }],
    ["/feature_id", { feature_id: null }],
  ])("[FEA-036] a state that would be invalid at %s is refused before anything is stored", async (pointer, change) => {
    await init();
    const before = await row();
    await expect(patch({ ...change, ticket: 1 })).rejects.toMatchObject({
      code: "schema_validation_failed",
      details: { violations: [expect.objectContaining({ pointer })] },
    });
    expect(await row()).toEqual(before);
  });

  test("[FEA-036] last_updated is the time of the write", async () => {
    await init();
    await scratch.records.database.db.updateTable("features").set({ updated_at: 0 }).execute();
    expect((await state()).last_updated).toBe("1970-01-01T00:00:00.000Z");
    const before = new Date().toISOString();
    expect((await patch({ ticket: 1 })).last_updated >= before).toBe(true);
  });

  test("[FEA-072] a status transition must be legal by the kernel's own records", async () => {
    await init();
    for (const status of ["building", "qa", "ready_to_merge", "merged"]) {
      await expect(patch({ status, status_reason: "because" })).rejects.toMatchObject({ code: "invalid_status_transition" });
    }
    await expect(patch({ status: "blocked" })).rejects.toThrow("a reason is needed");
    expect(await patch({ status: "blocked", status_reason: "no idea" })).toMatchObject({ status: "blocked", status_reason: "no idea" });
    await expect(patch({ status: "planning" })).rejects.toThrow("unblocking needs a new reason");
    expect((await patch({ status: "planning", status_reason: "an idea" })).status).toBe("planning");
  });

  test("a failed feature releases its locks, and the state shows it at once", async () => {
    await init();
    await scratch.kernel.features.acquireLocks(call(), { feature_id: "letters", resources: ["openapi"] });
    expect((await state()).locks.held).toEqual(["openapi"]);
    expect(await patch({ status: "failed", status_reason: "given up" })).toMatchObject({ status: "failed", locks: { held: [] } });
  });

  test("extra properties have a size limit", async () => {
    await init();
    await expect(patch({ notes: "x".repeat(70_000) })).rejects.toMatchObject({
      code: "policy_violation",
      details: { violations: [{ rule: "too_large" }] },
    });
  });
});

describe("versions", () => {
  test("[FEA-015] state_patch without expected_version is refused", async () => {
    await init();
    await expect((async () => scratch.kernel.features.statePatch(call(), { feature_id: "letters", patch: {} }))()).rejects.toMatchObject({
      code: "schema_validation_failed",
      details: { violations: [{ pointer: "/expected_version" }] },
    });
  });

  test("[FEA-014] every persisted change raises the version by one; a stale version writes nothing, and the error has both numbers", async () => {
    await init();
    const seen = [(await row()).version];
    await patch({ a: 1 });
    seen.push((await row()).version);
    await scratch.kernel.features.submitPlan(call(), { feature_id: "letters", plan_json: scratchPlan("letters") });
    seen.push((await row()).version);
    await scratch.kernel.features.applyPatch(
      { ...call(), actor: { type: "builder", id: "b" } },
      { feature_id: "letters", unified_diff: addFile("src/new.txt", "x") },
    );
    seen.push((await row()).version);
    expect(seen).toEqual([1, 2, 3, 4]);
    const before = await row();
    await expect(patch({ a: 2 }, 2)).rejects.toMatchObject({
      code: "version_conflict",
      details: { expected_version: 2, actual_version: 4 },
    });
    expect(await row()).toEqual(before);
  });

  test("[FEA-015] other calls may name a version, which is then enforced", async () => {
    await init();
    const fail = (expectedVersion?: number) =>
      scratch.kernel.features.changeStatus(call(expectedVersion === undefined ? {} : { expectedVersion }), {
        feature_id: "letters",
        to: "failed",
        reason: "r",
      });
    await expect(fail(7)).rejects.toMatchObject({ code: "version_conflict" });
    expect((await fail(1)).status).toBe("failed");
  });
});

test("[FEA-035] the supervisor sets sessions and roles; omitted ones stay, and equal values are no change", async () => {
  await init();
  const { setSessions } = scratch.kernel.features;
  const id = { feature_id: "letters" };
  await setSessions(call(), { ...id, cluster: { orchestrator_session_id: "o-1", planner_session_id: "p-1" } });
  await setSessions(call(), { ...id, cluster: { builder_session_id: "b-1" }, role_status: { planner: "done", builder: "running" } });
  const { cluster, role_status, version } = await state();
  expect(cluster).toEqual({
    orchestrator_session_id: "o-1",
    planner_session_id: "p-1",
    builder_session_id: "b-1",
    qa_session_id: "unknown",
  });
  expect(role_status).toEqual({ planner: "done", builder: "running", qa: "ready" });
  expect(await setSessions(call(), { ...id, role_status: { planner: "done" } })).toEqual({ version });
  await expect(setSessions(call(), { ...id, role_status: { qa: "asleep" as never } })).rejects.toMatchObject({
    code: "schema_validation_failed",
  });
});

test("[FEA-066] policy.rbac decides which roles may patch a state", async () => {
  await scratch.close();
  scratch = await openScratchKernel({
    "slipway/policy.yaml": `${POLICY}rbac: { planner: [feature.state_patch], orchestrator: [feature.init] }\n`,
  });
  await init();
  const input = { feature_id: "letters", patch: { ticket: 1 } };
  const as = (type: "planner" | "orchestrator") =>
    scratch.kernel.features.statePatch({ ...call({ expectedVersion: 1 }), actor: { type, id: "x" } }, input);
  await expect(as("orchestrator")).rejects.toMatchObject({ code: "forbidden_tool_for_role" });
  expect(await as("planner")).toMatchObject({ ticket: 1, version: 2 });
});
