import { afterEach, describe, expect, test } from "vitest";
import { NOTHING_MISSING, openWorkshop, patchOf, planFor, resultOf, type Script, type Workshop } from "./testing/workshop.ts";

const HAPPY: Script = { planner: [planFor()], builder: [patchOf("src/a.txt", "one", "two")], qa: [NOTHING_MISSING] };

let services: Workshop;
afterEach(() => services.close());

async function onRedBase() {
  services = await openWorkshop(HAPPY, { files: { "src/b.txt": "BUG\n" } });
  const runId = await services.start();
  expect((await services.drive(runId)).status).toBe("waiting");
  const [question] = await services.open();
  return { runId, question: question! };
}

describe("gates that fail on the base", () => {
  test("are asked about before any agent is called, with the step, its exit code and the end of its log", async () => {
    const { question } = await onRedBase();
    expect(question).toMatchObject({ kind: "base_gates", title: "The fast and full gates fail on main, before any change" });
    expect(question.body).toMatch(/fast and full: failed at step "check" \(sh check\.sh\), exit code 1: /);
    expect(question.body).toMatch(/\nlog: \S+\.log, at its end:\n {2}\| src\/b\.txt:1:BUG/);
    expect(services.asked).toEqual([]);
  });

  test("end the run before any feature begins if a person answers stop", async () => {
    const { runId, question } = await onRedBase();
    await services.answer(question, { decision: "stop" });
    expect(resultOf(await services.drive(runId))).toEqual({
      feature_id: "letters",
      status: "failed",
      landing: null,
      not_begun: "the gates fail on main before any change",
    });
    expect(services.asked).toEqual([]);
    expect(services.git("branch", "--list", "letters")).toBe("");
  });

  test("run again after a person has fixed the base", async () => {
    const { runId, question } = await onRedBase();
    services.write("src/b.txt", "one\n");
    services.git("commit", "--quiet", "--all", "--message=repaired");
    await services.answer(question, { decision: "again" });
    await services.drive(runId);
    expect(await services.open()).toMatchObject([{ kind: "approval" }]);
  });

  test("are asked about again if nothing was fixed", async () => {
    const { runId, question } = await onRedBase();
    await services.answer(question, { decision: "again" });
    await services.drive(runId);
    const [again] = await services.open();
    expect(again).toMatchObject({ kind: "base_gates" });
    expect(again?.id).not.toBe(question.id);
  });

  test("do not stop the agents if a person answers go_on", async () => {
    const { runId, question } = await onRedBase();
    await services.answer(question, { decision: "go_on" });
    await services.drive(runId);
    expect(services.asked.map(({ role }) => role)).toContain("planner");
  });
});
