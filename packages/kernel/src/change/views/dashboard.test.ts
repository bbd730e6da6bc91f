import { existsSync } from "node:fs";
import { workflow } from "@slipway/durable/ctx";
import { openEngine } from "@slipway/durable/engine";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { callAs as call, LETTERS as letters, lettersOn } from "../testing/letters.ts";
import { openScratchKernel, replaceLine, type ScratchKernel } from "../testing/scratch-kernel.ts";

let scratch: ScratchKernel;
let feature: ReturnType<typeof lettersOn>;
beforeEach(async () => {
  scratch = await openScratchKernel();
  feature = lettersOn(scratch);
});
afterEach(() => scratch.close());

const dashboard = () => scratch.kernel.features.dashboard();
const sql = (text: string) => scratch.records.database.sqlite.exclusive((database) => database.exec(text));

/** A run that is recorded but not begun: all of its features wait. */
async function startRun(runId: string, ids: readonly string[], padding = "") {
  const { records } = scratch;
  const engine = await openEngine({
    sqlite: records.database.sqlite,
    blobs: records.objects,
    clock: records.clock,
    ids: records.ids,
    inbox: records.inbox,
    workflows: [workflow("features", "1", async () => null)],
    kernel: null,
  });
  const specs = ids.map((feature_id) => ({ feature_id, spec_source: `${feature_id}.md${padding}`, spec_digest: "d" }));
  await engine.start("features", { specs, max_active_features: 1 }, { runId });
  await engine.close();
}

describe("[FEA-103] report.dashboard", () => {
  test("is empty without features", async () => {
    expect(await dashboard()).toEqual({ features: [], counts: {} });
  });

  test("shows status, reason, locks, gates, role, cost and the open question of a feature", async () => {
    await feature.planned();
    const { features } = scratch.kernel;
    await features.acquireLocks(call(), { ...letters, resources: ["openapi"] });
    await features.applyPatch(call(), { ...letters, unified_diff: replaceLine("src/a.txt", "one", "BUG") });
    await features.runGates(call(), { ...letters, mode: "fast" });
    await features.setSessions(call(), { ...letters, role_status: { planner: "done", builder: "running" } });
    await features.changeStatus(call(), { ...letters, to: "blocked", reason: "the gate fails" });
    await sql(`
      INSERT INTO telemetry (id, run_id, feature_id, role, provider, model, input_tokens, output_tokens, cost_usd, duration_ms, calls, transcript_digest, at)
        VALUES ('t1', 'r', 'letters', 'builder', 'p', NULL, 1, 1, 0.25, 1, 1, NULL, 1), ('t2', 'r', 'letters', 'builder', 'p', NULL, 1, 1, 0.5, 1, 1, NULL, 1);
      INSERT INTO questions (id, run_id, name, kind, title, body, options, answer_schema, context, answerable_by, remind_at, reminded, asked_at, expires_at, status)
        VALUES ('q-new', 'r', 'b', 'request', 'Later?', '', '[]', '{}', '{"feature_id":"letters"}', '[]', '[]', 0, 9, NULL, 'open'),
               ('q-old', 'r', 'a', 'blocked', 'Stuck?', '', '[]', '{}', '{"feature_id":"letters"}', '[]', '[]', 0, 3, NULL, 'open'),
               ('q-done', 'r', 'c', 'blocked', 'Done?', '', '[]', '{}', '{"feature_id":"letters"}', '[]', '[]', 0, 1, NULL, 'answered');`);
    expect((await dashboard()).features).toEqual([
      {
        feature_id: "letters",
        status: "blocked",
        status_reason: "the gate fails",
        run_id: "run1",
        version: (await feature.row()).version,
        locks: ["openapi"],
        gates: expect.objectContaining({ plan: "pass", fast: "fail" }),
        last_gate: { mode: "fast", passed: false, current: true, at: expect.any(Number) },
        role: "builder",
        cost_usd: 0.75,
        question: { id: "q-old", kind: "blocked", title: "Stuck?" },
        merged_as: null,
        updated_at: expect.any(Number),
      },
    ]);
  });

  test("marks a last gate run on other content, and shows no expired lock", async () => {
    await feature.planned();
    await scratch.kernel.features.acquireLocks(call(), { ...letters, resources: ["openapi"] });
    await scratch.kernel.features.runGates(call(), { ...letters, mode: "fast" });
    await scratch.kernel.features.applyPatch(call(), { ...letters, unified_diff: replaceLine("src/a.txt", "one", "two") });
    await sql("UPDATE locks SET expires_at = 0");
    expect((await dashboard()).features[0]).toMatchObject({ last_gate: { passed: true, current: false }, locks: [] });
  });

  test("shows ended features, and those that wait for a slot in an unfinished run", async () => {
    const candidate = await feature.ready();
    const { commit } = await scratch.kernel.features.merge(call(), { ...letters, user_approval_token: scratch.sign(candidate) });
    await startRun("run2", ["letters", "zebra", "apple"]);
    await startRun(
      "run3",
      Array.from({ length: 30 }, (_, index) => `many_${index}`),
      "x".repeat(4_000),
    );
    await startRun("over", ["gone"]);
    await sql("UPDATE runs SET status = 'cancelled' WHERE run_id = 'over'");
    const { features, counts } = await dashboard();
    expect(features.find(({ feature_id }) => feature_id === "letters")).toMatchObject({ status: "merged", merged_as: commit });
    const waiting = features.filter(({ status }) => status === "waiting").map(({ feature_id }) => feature_id);
    expect(waiting.filter((id) => !id.startsWith("many_"))).toEqual(["apple", "zebra"]);
    expect(counts).toEqual({ merged: 1, waiting: 32 });
    expect(features.map(({ feature_id }) => feature_id)).toEqual(features.map(({ feature_id }) => feature_id).toSorted());
  });

  test("a feature that waits for a slot has its run, and no data of its own yet", async () => {
    await startRun("run2", ["apple"]);
    const nothing = { version: null, locks: [], gates: {}, last_gate: null, role: null, cost_usd: 0, question: null };
    const rest = { ...nothing, merged_as: null, updated_at: null };
    expect((await dashboard()).features).toEqual([
      { feature_id: "apple", status: "waiting", status_reason: "waits for a free slot", run_id: "run2", ...rest },
    ]);
  });

  test("a run of a protocol that names its features differently is skipped", async () => {
    await startRun("other", []);
    await sql(`UPDATE events SET payload = '{"input":{"topic":"x"},"version":"1","workflow":"features"}' WHERE stream = 'other'`);
    expect((await dashboard()).features).toEqual([]);
  });

  test("needs the same number of queries for one feature and for fifty", async () => {
    const { sqlite, db } = scratch.records.database;
    const first = await feature.init();
    const prepare = vi.spyOn(sqlite, "prepare");
    const queries = async () => {
      prepare.mockClear();
      await dashboard();
      return prepare.mock.calls.length;
    };
    const one = await queries();
    for (let index = 0; index < 50; index++)
      await db
        .insertInto("features")
        .values({ ...first, id: `f${index}` })
        .execute();
    expect(await queries()).toBe(one);
    expect((await dashboard()).features).toHaveLength(51);
  });
});

describe("[FEA-103] report.feature_summary", () => {
  test("has state, diff and links to the latest evidence", async () => {
    await feature.built();
    expect(await scratch.kernel.features.featureSummary("letters")).toMatchObject({ evidence: { last_gate: null }, cost_usd: 0 });
    await scratch.kernel.features.runGates(call(), { ...letters, mode: "fast" });
    const { state, diff, evidence } = await scratch.kernel.features.featureSummary("letters");
    expect(state).toMatchObject({ feature_id: "letters", status: "building" });
    expect(diff.stat).toMatch(/src\/a\.txt.*1 file changed/s);
    expect(evidence.last_gate).toMatchObject({ mode: "fast", passed: true, tree: diff.tree });
    const log = evidence.links.find(({ what }) => what === "log of fast: check")?.path ?? "";
    expect(log).toContain(scratch.root);
    expect(existsSync(log)).toBe(true);
  });

  test("of an unknown feature is refused", async () => {
    await expect(scratch.kernel.features.featureSummary("nobody")).rejects.toMatchObject({ code: "feature_not_found" });
  });
});
