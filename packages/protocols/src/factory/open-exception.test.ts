import { afterAll, afterEach, expect, test } from "vitest";
import { APPROVE, considering, planOf } from "./engineering/testing/modules.ts";
import { sampleSpec, sampleTask } from "./product/testing/specs.ts";
import { dispatch } from "./project/board.ts";
import type { StateMachine, TaskStatus } from "./project/state.ts";
import { approved } from "./testing/approved.ts";
import { calling, change } from "./testing/changes.ts";
import { deliver, FIRST, NUMBERS, PASS, SECOND } from "./testing/numbers.ts";
import { language, type Works } from "./testing/works.ts";

let works: Works;
afterEach(() => works.close());
afterAll(() => language.close());

const [first, second] = NUMBERS.pillars[0]!.epics[0]!.stories[0]!.tasks;
const { acceptance_criteria } = first!;
/** The third depends on nothing: only a halt keeps it from being built. */
const SPEC = sampleSpec([first!, second!, sampleTask(3, { name: "Double apart", acceptance_criteria })]);
const THIRD = FIRST.replace(/1$/, "3");

const tasks = () => (JSON.parse(works.file("project/state_machine.json")!) as StateMachine).tasks;
const statuses = () => [FIRST, SECOND, THIRD].map((id) => tasks()[id]?.status);
/** Decisions about the exception so far. */
const decided = () => {
  const [file] = works.files("exceptions").filter((path) => path.endsWith(".jsonl"));
  return [...(works.file(`exceptions/${file}`) ?? "").matchAll(/"status":"(\w+)"/g)].map(([, word]) => word);
};
async function answer(value: unknown) {
  await works.answer(value);
  return works.drive();
}

test("[FAC-178] an exception blocks dispatch only by the HALTED task: only a person resolves it, and an open one blocks nothing else", async () => {
  const begun = await approved({
    "product-owner": [{ calls: [{ tool: "emit_structured_spec", spec: SPEC }] }],
    planner: [planOf(["MM-twice"]), calling, considering(planOf(["MM-half"]), "MM-twice@1.0.0")],
    proposer: [deliver, change(), deliver],
    challenger: [PASS],
    arbiter: [APPROVE],
  });
  ({ works } = begun);
  expect(begun.outcome).toMatchObject({ status: "waiting" });
  expect(statuses()).toEqual(["SHIPPED", "HALTED", "PENDING"]);
  const asked = works.asked.length;

  // However often it is resumed, and whatever answers the roles have.
  for (let times = 0; times < 3; times++) {
    await works.reopen();
    expect(await works.drive()).toMatchObject({ status: "waiting" });
  }
  const { id, kind } = await works.question();
  expect(kind).toBe("interface_change");
  for (const type of ["orchestrator", "builder", "system"] as const) {
    const given = { id, value: { decision: "APPROVE_CHANGE" }, by: { type, id: "eager" } };
    await expect(works.services.kernel.records.answer(given)).rejects.toThrow("answer");
  }
  expect([works.asked.length, statuses(), decided()]).toEqual([asked, ["SHIPPED", "HALTED", "PENDING"], []]);

  // By the statuses only, with the exception still open.
  const secondAs = (status: TaskStatus) => dispatch({ tasks: { ...tasks(), [SECOND]: { ...tasks()[SECOND]!, status } } });
  expect([secondAs("HALTED"), secondAs("PENDING"), secondAs("SHIPPED")]).toEqual([null, SECOND, THIRD]);

  await answer({ decision: "DEFER", note: "not now" });
  expect(statuses()).toEqual(["SHIPPED", "HALTED", "PENDING"]);
  const outcome = await answer({ action: "ABANDON_TASK", rationale: "not without it" });
  expect(outcome).toMatchObject({ value: { status: "released", modules: ["MM-twice@1.0.0", "MM-half@1.0.0"] } });
  expect(statuses()).toEqual(["SHIPPED", "ABANDONED", "SHIPPED"]);
  expect(decided()).toEqual(["DEFERRED"]);
});
