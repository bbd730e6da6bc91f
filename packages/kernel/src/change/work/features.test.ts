import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openScratchKernel, PERSON, replaceLine, scratchPlan, type ScratchKernel } from "../testing/scratch-kernel.ts";
import { findFeature } from "../feature/store.ts";

let scratch: ScratchKernel;
let number = 0;
beforeEach(async () => {
  scratch = await openScratchKernel();
});
afterEach(() => scratch.close());

const call = (operationId = `op${(number += 1)}`) => ({ actor: { type: "system", id: "test" } as const, operationId });
const row = () => findFeature(scratch.records.database.db, "letters");
const file = (name: string) => scratch.read(`.worktrees/letters/${name}`);

async function init() {
  const spec_digest = await scratch.records.objects.put(Buffer.from("# Letters\n"));
  return scratch.kernel.features.init(call(), { feature_id: "letters", run_id: "run1", spec_source: "letters.md", spec_digest });
}

async function planned(changes: Record<string, unknown> = {}) {
  await init();
  return scratch.kernel.features.submitPlan(call(), { feature_id: "letters", plan_json: scratchPlan("letters", changes) });
}

const patch = (unified_diff: string, operationId?: string) =>
  scratch.kernel.features.applyPatch(call(operationId), { feature_id: "letters", unified_diff });
describe("init", () => {
  test("creates folder, branch and worktree, and does not change the user's checkout", async () => {
    const feature = await init();
    expect(feature).toMatchObject({
      status: "planning",
      version: 1,
      branch: "letters",
      gates: "{}",
      base_commit: scratch.git("rev-parse", "main").trim(),
    });
    expect(file("src/a.txt")).toBe("one\n");
    expect(scratch.read(".slipway/features/letters/spec.md")).toBe("# Letters\n");
    expect(scratch.git("symbolic-ref", "HEAD").trim()).toBe("refs/heads/main");
    expect(scratch.git("status", "--porcelain")).toBe("");
  });

  test("[FEA-159] an existing specification in the feature's folder is not changed", async () => {
    const path = join(scratch.root, ".slipway/features/letters/spec.md");
    scratch.write(".slipway/features/letters/spec.md", "# Letters\n");
    const { ino } = statSync(path);
    await init();
    expect(statSync(path).ino).toBe(ino);
  });

  test("a second call changes nothing, and keeps what was built in between", async () => {
    await planned();
    await patch(replaceLine("src/a.txt", "one", "two"));
    const before = await row();
    expect(await init()).toEqual(before);
    expect(file("src/a.txt")).toBe("two\n");
  });
});

describe("plans", () => {
  test("[FEA-075] acceptance stores the plan, passes its gate and starts building at once; a second plan is refused", async () => {
    const plan = await planned();
    expect(plan.gate_profile).toBe("default");
    expect(await row()).toMatchObject({ status: "building", gates: '{"plan":"pass"}' });
    await expect(
      scratch.kernel.features.submitPlan(call(), { feature_id: "letters", plan_json: scratchPlan("letters") }),
    ).rejects.toMatchObject({
      code: "version_conflict",
      details: { suggested_next_actions: [expect.stringContaining("plan.update")] },
    });
  });

  test.each([
    ["not valid", { summary: "no" }, "schema_validation_failed"],
    [
      "for a protected area",
      { files: { create: [], modify: ["slipway/gates.yaml"], delete: [] }, allowed_areas: ["slipway"] },
      "lock_not_held",
    ],
    ["for a contract without its lock", { contracts: { openapi: "modify", events: "none", db: "none" } }, "lock_not_held"],
    ["that creates an existing file", { files: { create: ["src/a.txt"], modify: [], delete: [] } }, "policy_violation"],
    ["of another feature", { feature_id: "other" }, "policy_violation"],
  ])("a plan %s changes nothing", async (_what, changes, code) => {
    await expect(planned(changes)).rejects.toMatchObject({ code });
    expect(await row()).toMatchObject({ status: "planning", version: 1, gates: "{}" });
    expect(existsSync(join(scratch.root, ".slipway/features/letters/plan.json"))).toBe(false);
  });
});

test("only permitted roles may submit one", async () => {
  await init();
  const builder = { actor: { type: "builder", id: "b" } as const, operationId: "x" };
  await expect(scratch.kernel.features.changeStatus(builder, { feature_id: "letters", to: "failed", reason: "r" })).rejects.toMatchObject({
    code: "forbidden_tool_for_role",
  });
  await expect(
    scratch.kernel.features.note({ actor: PERSON, operationId: "y" }, { feature_id: "letters", role: "qa", text: "t" }),
  ).rejects.toMatchObject({ code: "forbidden_tool_for_role" });
});

test("an unknown feature is named", async () => {
  await expect(scratch.kernel.features.context("nobody")).rejects.toMatchObject({
    code: "feature_not_found",
    details: { feature_id: "nobody" },
  });
});
