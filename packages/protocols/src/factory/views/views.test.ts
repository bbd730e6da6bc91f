import { afterAll, afterEach, expect, test } from "vitest";
import { APPROVE, planOf, REJECT } from "../engineering/testing/modules.ts";
import { approved } from "../testing/approved.ts";
import { calling, change } from "../testing/changes.ts";
import { deliver, FAIL, FIRST, PASS, SECOND } from "../testing/numbers.ts";
import { language, type Works } from "../testing/works.ts";
import { debatesOf } from "./debates.ts";
import { escalationViews, exceptionViews } from "./escalations.ts";

let works: Works;
afterEach(() => works.close());
afterAll(() => language.close());

const tasks = async () => {
  const { projects } = works.services.projectStore;
  return projects.entries((await projects.head())!.project_id);
};
const open = async () => {
  const { id, context, options } = await works.question();
  return [{ id, context, options }];
};

test("a debate by task or module, and its escalation with the effect of each answer", async () => {
  ({ works } = await approved({ challenger: [FAIL], arbiter: [REJECT] }));
  const { documents } = works.services;
  const [debate] = await debatesOf(documents, { task: FIRST });
  expect(debate).toMatchObject({ task_id: FIRST, module_ref: "MM-twice@1.0.0" });
  expect(debate!.rounds.map(({ round, challenge, adjudication }) => [round, challenge?.verdict, adjudication?.decision])).toEqual([
    [1, "FAIL", undefined],
    [2, "FAIL", undefined],
    [3, "FAIL", "REJECT"],
  ]);
  expect(debate!.rounds[0]!.witnesses).toMatchObject([{ standing: "opinion" }]);
  expect(await debatesOf(documents, { module: "MM-twice" })).toEqual([debate]);
  expect(await debatesOf(documents, { module: "MM-none" })).toEqual([]);
  expect(await debatesOf(documents, { task: SECOND })).toEqual([]);

  const [asked] = await escalationViews(documents, await open(), await tasks());
  expect(asked).toMatchObject({ state: "asked", blocks: [SECOND] });
  expect(asked!.resolutions.map(({ does }) => does).some((does) => does.startsWith("(not available"))).toBe(false);
  await works.answer({ action: "ABANDON_TASK", rationale: "no" });
  expect(await escalationViews(documents, [], await tasks())).toMatchObject([{ state: "answered", blocks: [] }]);
  await works.drive();
  const [first, stuck] = await escalationViews(documents, await open(), await tasks());
  expect(first).toMatchObject({ state: "resolved" });
  const without = stuck!.resolutions.filter(({ does }) => does.startsWith("(not available")).map(({ action }) => action);
  expect(without).toEqual(["APPROVE_OVERRIDE", "REVISE_PLAN", "PROVIDE_FIX"]);
});

test("an exception with its status, its task and the question that decides it", async () => {
  const parts = { planner: [planOf(["MM-twice"]), calling], proposer: [deliver, change()], challenger: [PASS], arbiter: [APPROVE] };
  ({ works } = await approved(parts));
  const { documents } = works.services;
  const [question] = await open();
  expect(await exceptionViews(documents, [question!])).toMatchObject([{ status: "RAISED", task_id: SECOND, question: question!.id }]);
  await works.answer({ decision: "DEFER", note: "later" });
  await works.drive();
  expect(await exceptionViews(documents, [])).toMatchObject([{ status: "DEFERRED", question: null, decisions: [{ note: "later" }] }]);
});
