import { afterEach, expect, test } from "vitest";
import { openScratchKernel, PERSON, replaceLine, scratchPlan, type ScratchKernel } from "../../testing/scratch-kernel.ts";

let scratch: ScratchKernel;
afterEach(() => scratch.close());

let calls = 0;
const as = (type: "orchestrator" | "builder" | "planner") => ({ actor: { type, id: `${type}@test` }, operationId: `call-${++calls}` });

async function gated() {
  scratch = await openScratchKernel();
  const { features } = scratch.kernel;
  const feature_id = "letters";
  const spec_digest = await scratch.records.objects.put(Buffer.from("letters"));
  await features.init(as("orchestrator"), { feature_id, spec_source: "letters.md", spec_digest, run_id: "run" });
  await features.expectTests(as("orchestrator"), {
    feature_id,
    files: [{ path: "src/a.txt", titles: ["adds"] }],
    command: ["make", "test"],
  });
  await features.submitPlan(as("planner"), { feature_id, plan_json: scratchPlan(feature_id) });
  await features.applyPatch(as("builder"), { feature_id, unified_diff: replaceLine("src/a.txt", "one", "two") });
  await features.runGates(as("orchestrator"), { feature_id, mode: "fast" });
  await features.changeStatus(as("orchestrator"), { feature_id, to: "qa", reason: "fast passed" });
  return { features, feature_id, full: () => features.runGates(as("orchestrator"), { feature_id, mode: "full" }) };
}

test("a gate that ran none of them fails, so that no caller can make the feature ready", async () => {
  const { features, feature_id, full } = await gated();
  expect(await full()).toMatchObject({
    passed: false,
    failure: { code: "expected_tests_not_run", details: { requires_human: true, missing: [{ path: "src/a.txt", titles: ["adds"] }] } },
  });
  await expect(features.changeStatus(as("orchestrator"), { feature_id, to: "ready_to_merge", reason: "done" })).rejects.toMatchObject({
    code: "invalid_status_transition",
  });
});

test("only a person's answer to the question about them waives them", async () => {
  const { features, feature_id, full } = await gated();
  const ask = (id: string, context: Record<string, unknown>) =>
    scratch.records.inbox.open({
      id,
      runId: null,
      name: id,
      kind: "tests_not_run",
      title: "tests",
      body: "",
      options: [],
      answerSchema: {},
      context,
      answerableBy: ["person", "orchestrator"],
      remindAfterMs: [],
      askedAt: 1,
      expiresAt: null,
    });
  const waive = (question_id: string) => features.waiveTests(as("orchestrator"), { feature_id, question_id });
  const about = { feature_id, code: "expected_tests_not_run" };
  await ask("open", about);
  await ask("other", { ...about, feature_id: "another" });
  await ask("model", about);
  await ask("person", about);
  const without = { decision: "without_tests", comment: "at night" };
  await scratch.records.answer({ id: "other", value: without, by: PERSON });
  await scratch.records.answer({ id: "model", value: without, by: { type: "orchestrator", id: "x" } });
  await scratch.records.answer({ id: "person", value: without, by: PERSON });
  for (const id of ["missing", "open", "other", "model"]) await expect(waive(id)).rejects.toMatchObject({ code: "answer_not_allowed" });
  expect((await full()).passed).toBe(false);
  expect(await waive("person")).toEqual({ by: "kim", comment: "at night", question_id: "person" });
  expect((await full()).passed).toBe(true);
  const rows = await scratch.records.database.db.selectFrom("checks").select("counts").where("name", "=", "full").execute();
  expect(rows.map(({ counts }) => (JSON.parse(counts ?? "{}") as { expected?: unknown }).expected)).toContainEqual({
    declared: 1,
    missing: 1,
    waived_by: "kim",
  });
});
