import { afterAll, afterEach, expect, test } from "vitest";
import { attestTask, wakeUp } from "./attest.ts";
import { planOf } from "../engineering/testing/modules.ts";
import { escalationKind } from "./schema.ts";
import { sampleSpec } from "../product/testing/specs.ts";
import { FIRST, NUMBERS, PARTS, SECOND } from "../testing/numbers.ts";
import { language, openWorks, type Works } from "../testing/works.ts";

let works: Works;
afterEach(() => works.close());
afterAll(() => language.close());

const KIM = { type: "person", id: "kim" } as const;
const AT = "2026-01-02T03:04:05.000Z";
/** The second task never gets a valid plan. */
const HALTING = { ...PARTS, planner: [planOf(["MM-twice"]), planOf(["MM-quad", ["MM-quad@^1.0.0"]])] };

const attest = (rationale: string) => attestTask(works.services, KIM, SECOND, { rationale }, AT);
const released = { status: "completed", value: { status: "released", modules: ["MM-twice@1.0.0"] } };

test("a task that was attested before the question is not asked about", async () => {
  const spec = sampleSpec([NUMBERS.pillars[0]!.epics[0]!.stories[0]!.tasks[0]!]);
  const [, never] = HALTING.planner;
  works = await openWorks({ "product-owner": [{ calls: [{ tool: "emit_structured_spec", spec }] }], planner: [never] }, { leaveAfter: 1 });
  const open = async () => works.services.kernel.records.inbox.listOpen();
  for (;;) {
    await works.drive();
    if ((await open()).length > 0) await works.answer({ decision: "APPROVE" });
    if ((await works.services.documents.list(escalationKind)).length > 0) break;
    await works.reopen();
  }
  expect(await open()).toEqual([]);
  await attestTask(works.services, KIM, FIRST, { rationale: "By hand." }, AT);
  let outcome = await works.drive();
  for (let times = 0; outcome.status !== "completed" && times < 30; times++) {
    await works.reopen();
    outcome = await works.drive();
  }
  expect(outcome).toMatchObject({ status: "completed", value: { status: "nothing_built" } });
});

test("after an interruption it is completed with the first text; a run with an outdated state reads it again", async () => {
  works = await openWorks(HALTING);
  await works.drive();
  await works.answer({ decision: "APPROVE" });
  expect(await works.drive()).toMatchObject({ status: "waiting" });
  const { projectStore } = works.services;
  const cutOff = {
    ...works.services,
    projectStore: { ...projectStore, projects: { ...projectStore.projects, change: () => Promise.reject(new Error("cut off")) } },
  };
  await expect(attestTask(cutOff, KIM, SECOND, { rationale: "The first word." }, AT)).rejects.toThrow("cut off");
  expect((await works.services.projectStore.projects.head())?.summary.halted).toHaveLength(1);
  const { escalation_id, rationale } = await attest("Another one.");
  expect(rationale).toBe("The first word.");
  expect((await works.services.documents.get(escalationKind, escalation_id)).resolutions).toHaveLength(1);
  await works.answer(wakeUp({ escalation_id }));
  expect(await works.drive()).toMatchObject(released);
});
