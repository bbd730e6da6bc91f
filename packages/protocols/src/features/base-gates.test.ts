import { afterEach, describe, expect, test } from "vitest";
import { NOTHING_MISSING, openWorkshop, patchOf, planFor, resultOf, type Script, type Workshop } from "./testing/workshop.ts";

const HAPPY: Script = { planner: [planFor()], builder: [patchOf("src/a.txt", "one", "two")], qa: [NOTHING_MISSING] };

let shop: Workshop;
afterEach(() => shop.close());

async function onRedBase() {
  shop = await openWorkshop(HAPPY, { files: { "src/b.txt": "BUG\n" } });
  const runId = await shop.start();
  expect((await shop.drive(runId)).status).toBe("waiting");
  const [question] = await shop.open();
  return { runId, question: question! };
}

describe("gates that fail on the base", () => {
  test("are asked about before any agent is called, with the step, its exit code and the end of its log", async () => {
    const { question } = await onRedBase();
    expect(question).toMatchObject({ kind: "base_gates", title: "The fast and full gates fail on main, before any change" });
    expect(question.body).toMatch(/fast and full: failed at step "check" \(sh check\.sh\), exit code 1: /);
    expect(question.body).toMatch(/\nlog: \S+\.log, at its end:\n {2}\| src\/b\.txt:1:BUG/);
    expect(shop.asked).toEqual([]);
  });

  test("end the run when a person says so: no feature was begun", async () => {
    const { runId, question } = await onRedBase();
    await shop.answer(question, { decision: "stop" });
    expect(resultOf(await shop.drive(runId))).toEqual({
      feature_id: "letters",
      status: "failed",
      landing: null,
      not_begun: "the gates fail on main before any change",
    });
    expect(shop.asked).toEqual([]);
    expect(shop.git("branch", "--list", "letters")).toBe("");
  });

  test("are tried again when a person has repaired the base", async () => {
    const { runId, question } = await onRedBase();
    shop.write("src/b.txt", "one\n");
    shop.git("commit", "--quiet", "--all", "--message=repaired");
    await shop.answer(question, { decision: "again" });
    await shop.drive(runId);
    expect(await shop.open()).toMatchObject([{ kind: "approval" }]);
  });

  test("are asked about again when nothing was repaired", async () => {
    const { runId, question } = await onRedBase();
    await shop.answer(question, { decision: "again" });
    await shop.drive(runId);
    const [again] = await shop.open();
    expect(again).toMatchObject({ kind: "base_gates" });
    expect(again?.id).not.toBe(question.id);
  });

  test("stop no agents when a person lets them repair it", async () => {
    const { runId, question } = await onRedBase();
    await shop.answer(question, { decision: "go_on" });
    await shop.drive(runId);
    expect(shop.asked.map(({ role }) => role)).toContain("planner");
  });
});
