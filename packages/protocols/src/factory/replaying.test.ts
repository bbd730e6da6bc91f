import { telemetryOfRun } from "@slipway/kernel/budget/telemetry";
import { afterAll, afterEach, expect, test } from "vitest";
import { APPROVE, codeOf, planOf, REJECT } from "./engineering/testing/modules.ts";
import { AGREED, calling, callingAgain, change, deliverLarge, GOOD } from "./testing/changes.ts";
import { deliver, FAIL, PARTS, PASS } from "./testing/numbers.ts";
import { language, openWorks, type Works } from "./testing/works.ts";

let works: Works;
afterEach(() => works.close());
afterAll(() => language.close());

/** Over several processes: each knows only the journal, and ends after a few events. */
async function go() {
  let outcome = await works.drive();
  for (; outcome.status !== "completed" && outcome.status !== "waiting"; processes++) {
    await works.reopen();
    outcome = await works.drive();
  }
  return outcome;
}
let processes = 1;

/** Answers the next question, which must be of this kind. */
async function answer(kind: string, value: unknown) {
  expect(await works.question()).toMatchObject({ kind });
  await works.answer(value);
  return go();
}

const FIX = {
  action: "PROVIDE_FIX",
  fix_description: "done by hand",
  fix_artifacts: { "implementation/index.ts": `${codeOf()}// by hand\n` },
};
const ROUND = ["proposer", "challenger"];

test("[FAC-002] with retries, a halt and an exception: the five roles are asked, each when the rules say so; from its journal a run repeats the same steps and asks no role", async () => {
  const parts = {
    ...PARTS,
    planner: ["nothing of use", planOf(["MM-twice"]), calling, callingAgain],
    proposer: [deliver, deliver, deliver, change(), deliverLarge, deliver],
    challenger: [FAIL, FAIL, FAIL, PASS, GOOD, PASS],
    arbiter: [REJECT, APPROVE, AGREED, APPROVE],
  };
  works = await openWorks(parts, { approval: "asked", leaveAfter: 17 });
  await go();
  await answer("spec_approval", { decision: "APPROVE" });
  await answer("escalation", FIX);
  expect(await answer("interface_change", { decision: "APPROVE_CHANGE" })).toMatchObject({ status: "waiting" });
  const { id, title } = await works.question();
  expect(title).toMatch(/^Merge/);
  expect(processes).toBeGreaterThan(10);

  const first = ["product-owner", "planner", "planner", ...ROUND, ...ROUND, ...ROUND, "arbiter"];
  const fixed = ["challenger", "arbiter"];
  const changed = ["planner", "proposer", "challenger", "arbiter", ...ROUND, "arbiter"];
  const asked = [...first, ...fixed, ...changed, "planner", ...ROUND, "arbiter"];
  expect(works.asked.map(({ role }) => role)).toEqual(asked);
  const invoked = await telemetryOfRun(works.services.kernel.records, "works");
  expect(invoked.map(({ role }) => role).toSorted()).toEqual(asked.map((role) => `factory/${role}`).toSorted());

  // Once more from the first step: the same question, no new records, and no role is asked.
  const before = [await works.steps(), works.files("")];
  await works.reopen();
  expect(await works.drive()).toMatchObject({ status: "waiting" });
  expect((await works.question()).id).toBe(id);
  expect([await works.steps(), works.files("")]).toEqual(before);
  expect(works.asked).toHaveLength(asked.length);
});
