import { SlipwayError } from "@slipway/agents/errors";
import { toFailure } from "@slipway/durable/errors";
import { expect, test } from "vitest";
import { NOTHING_MISSING, openWorkshop, patchOf, planFor } from "./testing/workshop.ts";

const pending = (changes: Record<string, unknown> = {}) => {
  const details = { folder: ".slipway/manual/x", role: "planner", subject: "letters", schema: {}, may_edit: true, errors: [], ...changes };
  return { ok: false, failure: toFailure(new SlipwayError("answer_pending", "played by hand", details)) };
};

test("an invocation by hand waits as a question and continues with the answer, without using up an attempt", async () => {
  const workshop = await openWorkshop({
    planner: [pending(), pending({ may_edit: false, errors: ["/plan: missing"] }), planFor()],
    builder: [patchOf("src/a.txt", "one", "two")],
    qa: [NOTHING_MISSING],
  });
  const run = await workshop.start();
  expect((await workshop.drive(run)).status).toBe("waiting");
  const [first] = await workshop.open();
  expect(first).toMatchObject({
    kind: "manual",
    name: "manual:planner:1",
    title: "Play the planner for letters",
    body: ".slipway/manual/x/REQUEST.md describes the task.\nWrite .slipway/manual/x/answer.json, or edit the files in .slipway/manual/x/pack, or both.",
    context: { feature_id: "letters", folder: ".slipway/manual/x", may_edit: true },
  });
  expect((await workshop.drive(run)).status).toBe("waiting");
  expect(workshop.asked).toHaveLength(1);
  await workshop.answer(first!, { decision: "done", comment: "there" });
  await workshop.drive(run);
  const [second] = await workshop.open();
  expect(second).toMatchObject({ name: "manual:planner:1~2", title: "Correct the answer of the planner for letters" });
  expect(second?.body).toBe(
    "The last answer was refused:\n- /plan: missing\n.slipway/manual/x/REQUEST.md describes the task.\nWrite .slipway/manual/x/answer.json.",
  );
  await workshop.answer(second!, { decision: "done", answer: {} });
  await workshop.drive(run);
  expect((await workshop.open()).map(({ kind }) => kind)).toEqual(["approval"]);
  expect(workshop.asked.map(({ role, attempt }) => `${role}:${attempt}`)).toEqual([
    "planner:1",
    "planner:1",
    "planner:1",
    "builder:1",
    "qa:1",
  ]);
  await workshop.close();
});
