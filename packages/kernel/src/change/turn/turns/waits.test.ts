import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openPlanBench, planFor, type Parts, type PlanBench } from "../../testing/plan-bench.ts";
import { callAs, lettersOn, LETTERS } from "../../testing/letters.ts";
import { addFile, openScratchKernel, scratchPlan, type ScratchKernel } from "../../testing/scratch-kernel.ts";
import type { FeatureStatus } from "../../feature/status.ts";
import { planSchema } from "../../plan/schema.ts";

const RUN = ["a", "b", "c"].map((feature_id) => ({ feature_id, run_id: `run/feature:${feature_id}` }));
const FILE_A = { files: { modify: ["src/a.ts"] } };
const MIGRATION = { contracts: { db: "migration" } };

describe("turns among the features of a run", () => {
  let bench: PlanBench;
  beforeEach(async () => {
    bench = await openPlanBench();
  });
  afterEach(() => bench.close());

  const plan = (id: string, parts: Parts) => planSchema.parse({ gate_profile: "default", ...planFor(id, parts) });
  const wait = (feature_id: string, parts: Parts, ...blockers: string[]) =>
    bench.kernel.features.wait(bench.call(), {
      feature_id,
      plan_json: plan(feature_id, parts),
      blockers,
      reason: `waits for ${blockers.join()}`,
    });
  const turn = (id: string, parts: Parts = FILE_A) => bench.kernel.features.turnToPlan(RUN, id, plan(id, parts));
  const add = async (...statuses: FeatureStatus[]) => {
    for (const [index, status] of statuses.entries()) await bench.addFeature(String(RUN[index]?.feature_id), status);
  };
  const ask = (run_id: string, kind: string, answer: unknown = null, answered_at: number | null = null) =>
    bench.db
      .insertInto("questions")
      .values({
        id: `${run_id}#${kind}${answered_at ?? ""}`,
        run_id,
        name: kind,
        kind,
        title: "?",
        body: "",
        options: "[]",
        answer_schema: "{}",
        context: "{}",
        answerable_by: "[]",
        remind_at: "[]",
        reminded: 0,
        asked_at: 0,
        expires_at: null,
        status: answer === null ? "open" : "answered",
        answer: answer === null ? null : JSON.stringify(answer),
        answered_by: null,
        answered_at,
      })
      .execute();

  test("the first may always plan; a later one when every earlier one has decided", async () => {
    await add("planning", "planning", "planning");
    expect(await turn("a")).toEqual({ claimed: [] });
    expect(await turn("b")).toBeUndefined();
    await bench.submit("a", FILE_A);
    expect(await turn("b")).toEqual({ claimed: [] });
    expect(await turn("c")).toBeUndefined();
  });

  test("the claims that an earlier feature waits for apply to later ones, and only to them", async () => {
    await add("building", "planning", "planning");
    await wait("b", FILE_A, "a");
    expect(await turn("c")).toEqual({ claimed: [{ type: "file", resource: "src/a.ts", feature_id: "b" }] });
    expect(await turn("c", { files: { modify: ["src/b.ts"] } })).toEqual({ claimed: [] });
    expect(await turn("b")).toEqual({ claimed: [] });
  });

  test("a feature that asks a person, or whose part of the run is over, blocks no other", async () => {
    await add("planning", "planning");
    await ask("run/feature:a", "request");
    expect(await turn("b")).toEqual({ claimed: [] });
    await bench.db.deleteFrom("questions").execute();
    expect(await turn("b")).toBeUndefined();
    const row = {
      root_run_id: "run",
      parent_run_id: "run",
      workflow: "feature",
      version: "2",
      input_digest: "",
      created_at: 0,
      finished_at: 1,
    };
    const lease = { pruned_at: null, epoch: 0, lease_engine: null, lease_host: null, lease_pid: null, lease_process_start: null };
    const more = { lease_until: null, crashes: 0, crash_mark: 0, request: null, request_reason: null, request_by: null };
    await bench.db
      .insertInto("runs")
      .values({ run_id: "run/feature:a", status: "failed", ...row, ...lease, ...more })
      .execute();
    expect(await turn("b")).toEqual({ claimed: [] });
  });

  test("a wait is visible in the state", async () => {
    await add("building", "planning");
    await wait("b", MIGRATION, "a");
    expect(await bench.row("b")).toMatchObject({ status: "planning", status_reason: "waits for a" });
  });

  const giveBack = (parts: Parts) => bench.kernel.features.giveBackLocks(bench.call(), { feature_id: "a", plan_json: plan("a", parts) });

  test("locks taken for a plan that cannot be accepted are released, once", async () => {
    await add("planning");
    await bench.acquire("a", "db_migrations");
    const { version } = await bench.row("a");
    expect(await giveBack(MIGRATION)).toEqual(["db_migrations"]);
    expect((await bench.row("a")).version).toBe(version + 1);
    expect(await giveBack(MIGRATION)).toEqual([]);
    expect((await bench.row("a")).version).toBe(version + 1);
    expect((await bench.kernel.features.index())?.locks).toMatchObject({ db_migrations: null });
  });

  test("a feature with an accepted plan keeps the locks it works under, and those not taken for the new plan", async () => {
    await add("planning");
    await bench.acquire("a", "db_migrations");
    await bench.submit("a", MIGRATION);
    await bench.acquire("a", "events");
    await bench.acquire("a", "openapi");
    expect(await giveBack({ contracts: { db: "migration", events: "modify" } })).toEqual(["events"]);
    expect((await bench.kernel.features.index())?.locks).toMatchObject({ db_migrations: "a", openapi: "a", events: null });
  });

  test("the wait is over when every blocking feature has ended; the base is the result of the last one", async () => {
    await add("ready_to_merge", "building");
    const over = () => bench.kernel.features.endOf(RUN, ["a", "b"]);
    expect(await over()).toBeUndefined();
    await bench.fail("b");
    expect(await over()).toBeUndefined();
    await bench.db.updateTable("features").set({ status: "merged" }).where("id", "=", "a").execute();
    expect(await over()).toEqual({ onto: null, landed: [] });
    const merge = { feature_commit: "f", tree: "t", base_branch: "main", base_before: "0", strategy: "squash", change: "c" };
    for (const [feature_id, at] of [
      ["b", 2],
      ["a", 1],
    ] as const) {
      const row = { feature_id, commit_sha: `commit of ${feature_id}`, ...merge, approval_id: "i", approved_by: "kim", at };
      await bench.db
        .insertInto("merges")
        .values(row as never)
        .execute();
    }
    expect(await over()).toEqual({ onto: "commit of b", landed: ["a", "b"] });
  });

  test("a feature outside the run is not waited for", async () => {
    expect(await bench.kernel.features.endOf(RUN, ["stranger"])).toEqual({ onto: null, landed: [] });
  });

  test("to land: the first approved feature that still waits to land", async () => {
    await add("ready_to_merge", "ready_to_merge", "ready_to_merge");
    const mine = (id: string) => bench.kernel.features.turnToLand(RUN, id);
    const approve = { decision: "approve", token: "t" };
    expect(await mine("a")).toBe(true);
    await ask("run/feature:a", "approval", approve, 20);
    await ask("run/feature:b", "approval", approve, 10);
    await ask("run/feature:c", "approval", { decision: "changes", comment: "no" }, 5);
    expect([await mine("a"), await mine("b")]).toEqual([undefined, true]);
    await ask("run/feature:b", "mend");
    expect(await mine("a")).toBe(true);
  });

  test("to land without approvals: the first of the run", async () => {
    const free = await openPlanBench({ policy: { "merge_policy.require_user_approval": false } });
    for (const { feature_id } of RUN) await free.addFeature(feature_id, "ready_to_merge");
    expect([await free.kernel.features.turnToLand(RUN, "a"), await free.kernel.features.turnToLand(RUN, "b")]).toEqual([true, undefined]);
    await free.close();
  });
});

describe("under collision_policy: block", () => {
  let bench: PlanBench;
  beforeEach(async () => {
    bench = await openPlanBench({ policy: { collision_policy: "block" } });
    for (const { feature_id } of RUN.slice(0, 2)) await bench.addFeature(feature_id);
    await bench.submit("a", FILE_A);
    await expect(bench.submit("b", FILE_A)).rejects.toMatchObject({ code: "blocked_by_collision_policy" });
  });
  afterEach(() => bench.close());
  const left = (run = RUN) => bench.kernel.features.endOfQueueing(run, "b", ["a"]);

  test("a queued plan waits for features of the run until the kernel accepts it", async () => {
    expect(await left()).toBeUndefined();
    await bench.fail("a");
    expect(await left()).toMatchObject({ accepted: { feature_id: "b", plan_version: 1 }, onto: null });
  });

  test("one that waits for a feature of another run is not waited for here", async () => {
    const [, b] = RUN;
    expect(await left([b!])).toMatchObject({ accepted: null, status_reason: expect.stringContaining("a") });
  });
});

describe("resuming", () => {
  let scratch: ScratchKernel;
  beforeEach(async () => {
    scratch = await openScratchKernel();
  });
  afterEach(() => scratch.close());

  const wake = (onto: string | null) => scratch.kernel.features.wake(callAs(), { ...LETTERS, onto, reason: "goes on" });

  async function movedBase(): Promise<string> {
    scratch.write("src/b.txt", "moved\n");
    scratch.git("commit", "--quiet", "--all", "--message=theirs");
    return scratch.git("rev-parse", "main").trim();
  }

  test("a feature without a change is moved to the given commit, and its worktree shows it", async () => {
    const letters = lettersOn(scratch);
    await letters.init();
    const plan_json = planSchema.parse({ gate_profile: "default", ...scratchPlan("letters") });
    await scratch.kernel.features.wait(callAs(), { ...LETTERS, plan_json, blockers: ["a"], reason: "waits for a" });
    const onto = await movedBase();
    scratch.write("src/b.txt", "moved further\n");
    scratch.git("commit", "--quiet", "--all", "--message=more");
    await wake(onto);
    expect(await letters.row()).toMatchObject({ base_commit: onto, status_reason: "goes on", status: "planning" });
    expect(letters.file("src/b.txt")).toBe("moved\n");
    expect(await scratch.records.database.db.selectFrom("waits").selectAll().execute()).toEqual([]);
  });

  test("existing work stays on its base: it moves when it lands", async () => {
    const letters = lettersOn(scratch);
    await letters.planned();
    await scratch.kernel.features.applyPatch(callAs(), { ...LETTERS, unified_diff: addFile("src/new.txt", "mine") });
    const before = await letters.row();
    await wake(await movedBase());
    expect(await letters.row()).toMatchObject({ base_commit: before.base_commit, tree: before.tree });
    expect(letters.file("src/new.txt")).toBe("mine\n");
  });

  test("if no feature has landed, it does not move", async () => {
    const letters = lettersOn(scratch);
    const { base_commit } = await letters.init();
    await wake(null);
    expect(await letters.row()).toMatchObject({ base_commit, status_reason: "goes on" });
  });
});

test("the status of a feature: status, results on its tree, and lost locks", async () => {
  const bench = await openPlanBench();
  await bench.addFeature("a");
  await bench.acquire("a", "db_migrations");
  await bench.submit("a", MIGRATION);
  expect(await bench.kernel.features.standing("a")).toMatchObject({ status: "building", gates: { plan: "pass" }, lost: [] });
  bench.clock.time += 10_000_000;
  expect(await bench.kernel.features.standing("a")).toMatchObject({ lost: ["db_migrations"] });
  await bench.close();
});
