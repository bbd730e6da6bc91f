import { afterAll, afterEach, describe, expect, test } from "vitest";
import { APPROVE, considering, plannedModule, planOf, reportOf } from "./engineering/testing/modules.ts";
import type { KeptReport } from "./reuse/schema.ts";
import { approved } from "./testing/approved.ts";
import { PASS, SECOND } from "./testing/numbers.ts";
import { language, type Parts, type Works } from "./testing/works.ts";

let works: Works;
afterEach(() => works.close());
afterAll(() => language.close());

async function run(...second: readonly unknown[]) {
  const parts: Parts = { planner: [planOf(["MM-twice"]), ...second], challenger: [PASS], arbiter: [APPROVE] };
  const begun = await approved(parts);
  ({ works } = begun);
  return begun.outcome;
}
async function answer(value: unknown) {
  await works.answer(value);
  return works.drive();
}
/** The planner's feedback for the second task, attempt by attempt. */
const told = () =>
  works.asked.filter(({ role, subject }) => role === "planner" && subject === SECOND).map(({ sections }) => sections()["results"]);
const reports = () =>
  works
    .files("contributions")
    .filter((path) => path.startsWith("RSR-"))
    .map((path) => JSON.parse(works.file(`contributions/${path}`) ?? "null") as KeptReport);

const calling = planOf(["MM-quad", ["MM-twice@^1.0.0"]]);
const silent = considering(calling);
const reusing = (change: object) => ({
  modules: [plannedModule("MM-twice", [], { reuse_decision: "REUSE", reuse_candidate_refs: ["MM-twice@1.0.0"] })],
  contracts: [],
  reuse_reports: [reportOf("MM-twice", [], { conclusion: "REUSE_EXISTING", ...change })],
});

describe("before a plan is locked", () => {
  test("[FAC-189] a module is created only with a valid report; the planner gets the missing entries, and the report is stored", async () => {
    const outcome = await run({ ...calling, reuse_reports: [] }, silent, calling);
    expect(outcome).toMatchObject({ value: { status: "released", modules: ["MM-twice@1.0.0", "MM-quad@1.0.0"] } });
    expect(told()).toEqual([
      "none",
      "/reuse_reports: 0 reports for MM-quad; CREATE_NEW needs exactly one",
      expect.stringMatching(/^\/reuse_reports\/0\/candidates_considered: leaves out MM-twice@1\.0\.0, a near duplicate of MM-quad /),
    ]);
    expect(reports()).toHaveLength(2);
    expect(reports().find(({ module_id }) => module_id === "MM-quad")).toMatchObject({
      ...calling.reuse_reports[0],
      task_id: SECOND,
      near_duplicates: [{ module_ref: "MM-twice@1.0.0", same_signature: true }],
    });
  });

  test("[FAC-189] an empty or false report is invalid; after three a person is asked", async () => {
    const twice = planOf(["MM-twice"]);
    const faulty = (...changes: readonly object[]) => ({
      ...twice,
      reuse_reports: changes.map((change) => ({ ...twice.reuse_reports[0], ...change })),
    });
    const begun = await approved({
      planner: [
        faulty({ query: " ", justification: "TBD" }),
        faulty({ conclusion: "REUSE_EXISTING" }),
        faulty(reportOf("MM-twice", ["MM-no@1.0.0"]), { module_id: "MM-none" }),
      ],
    });
    ({ works } = begun);
    expect(begun.outcome).toMatchObject({ status: "waiting" });
    const [, second = "", third = ""] = works.asked.filter(({ role }) => role === "planner").map(({ sections }) => sections()["results"]);
    expect(second).toContain("/reuse_reports/0/query: must say something");
    expect(second).toContain("/reuse_reports/0/justification: must say something");
    expect(third).toContain("/reuse_reports/0/conclusion: is REUSE_EXISTING, and the plan says CREATE_NEW for MM-twice");
    const { body } = await works.question();
    expect(body).toContain("/reuse_reports/0/candidates_considered/0/module_ref: MM-no@1.0.0 is not in the code index");
    expect(body).toContain('/reuse_reports/1/module_id: "MM-none" is no module of this plan');
    expect(reports()).toEqual([]);
  });

  test("[FAC-189] REUSE needs a report that says REUSE_EXISTING; then nothing is built", async () => {
    expect(await run(reusing({ conclusion: "CREATE_NEW" }), reusing({}))).toMatchObject({
      value: { status: "released", modules: ["MM-twice@1.0.0"] },
    });
    expect(told()[1]).toContain("is CREATE_NEW, and the plan says REUSE for MM-twice, which needs REUSE_EXISTING");
    expect(works.asked.filter(({ role }) => role === "proposer")).toHaveLength(1);
  });

  test("a near duplicate that no plan addresses becomes a question, and the person's plan must address it, too", async () => {
    expect(await run(silent)).toMatchObject({ status: "waiting" });
    const { body } = await works.question();
    expect(body).toContain("leaves out MM-twice@1.0.0, a near duplicate of MM-quad");
    expect(await answer({ action: "REVISE_PLAN", revised_micro_plan: silent })).toMatchObject({ status: "waiting" });
    expect((await works.question()).body).toContain("/revised_micro_plan/reuse_reports/0/candidates_considered: leaves out MM-twice@1.0.0");
    const explained = { action: "REVISE_PLAN", revised_micro_plan: calling };
    expect(await answer(explained)).toMatchObject({ value: { modules: ["MM-twice@1.0.0", "MM-quad@1.0.0"] } });
    expect(reports()).toHaveLength(2);
  });
});
