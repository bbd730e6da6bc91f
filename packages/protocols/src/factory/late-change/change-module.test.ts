import { afterAll, afterEach, describe, expect, test } from "vitest";
import { APPROVE, planOf } from "../engineering/testing/modules.ts";
import type { Escalation } from "../escalation/schema.ts";
import { approved } from "../testing/approved.ts";
import { AGAINST, AGREED, calling, callingAgain, change, deliverLarge, GOOD } from "../testing/changes.ts";
import { deliver, PASS, SECOND } from "../testing/numbers.ts";
import { language, type Parts, type Works } from "../testing/works.ts";

let works: Works;
afterEach(() => works.close());
afterAll(() => language.close());

async function halted(parts: Parts = {}) {
  const begun = await approved({
    planner: [planOf(["MM-twice"]), calling, callingAgain],
    proposer: [deliver, change(), deliver],
    challenger: [PASS],
    arbiter: [APPROVE],
    ...parts,
  });
  ({ works } = begun);
  expect(begun.outcome).toMatchObject({ status: "waiting" });
  const { kind, context } = await works.question();
  expect(kind).toBe("interface_change");
  return context["escalation"] as Escalation;
}
async function answer(value: unknown) {
  await works.answer(value);
  return works.drive();
}
const json = <T>(path: string) => JSON.parse(works.file(path) ?? "null") as T;
const exceptionId = () =>
  works
    .files("exceptions")
    .find((path) => path.endsWith(".json"))!
    .slice(0, -".json".length);
const log = () =>
  works
    .file(`exceptions/${exceptionId()}.decisions.jsonl`)!
    .trimEnd()
    .split("\n")
    .map((line) => (JSON.parse(line) as { status: string }).status);
const TWO = { value: { status: "released", modules: ["MM-twice@1.0.0", "MM-quad@1.0.0"] } };

describe("an insufficient contract", () => {
  test("[FAC-170] [FAC-176] halts the task with the whole exception; rejected and requeued, it is built within the contract", async () => {
    // First about itself, which is refused.
    const { details, task_id, escalation_id } = await halted({ proposer: [deliver, change("MM-quad@1.0.0"), change(), deliver] });
    expect(task_id).toBe(SECOND);
    const { type: _, exception_type, proposed_delta, compatibility, ...said } = change();
    expect(details).toMatchObject({
      ...said,
      halted_by: "interface_change",
      exception_id: exceptionId(),
      type: exception_type,
      proposed_contract_delta: proposed_delta,
      compatibility_expectation: compatibility,
    });
    expect(json(`exceptions/${exceptionId()}.json`)).toMatchObject({ raised_by: { role: "proposer" } });
    expect(await answer({ decision: "REJECT_CHANGE", reason: "rare enough", afterwards: "REQUEUE" })).toMatchObject(TWO);
    expect(json(`escalations/${escalation_id}.json`)).toMatchObject({
      resolution: { action: "REJECT_CHANGE", payload: { reason: "rare enough" } },
    });
    expect(log()).toEqual(["REJECTED"]);
  });

  test("[FAC-171] after deferring, the six resolutions are left", async () => {
    await halted();
    await expect(works.answer({ action: "ABANDON_TASK", rationale: "no" })).rejects.toThrow();
    expect(await answer({ decision: "DEFER" })).toMatchObject({ status: "waiting" });
    expect(await works.question()).toMatchObject({ kind: "escalation" });
    expect(log()).toEqual(["DEFERRED"]);
    const amended_acceptance_criteria = ["returns the double of a number", "raises NegativeError for a negative number"];
    expect(await answer({ action: "AMEND_SPEC", amended_acceptance_criteria, amendment_rationale: "as it is" })).toMatchObject(TWO);
  });

  test("[FAC-172] [FAC-174] [FAC-175] approved and agreed on, a new version ships and replaces the old one, and the task continues with it", async () => {
    await halted({
      proposer: [deliver, change(), deliverLarge, deliver],
      challenger: [PASS, GOOD, PASS],
      arbiter: [APPROVE, AGREED, APPROVE],
    });
    const outcome = await answer({ decision: "APPROVE_CHANGE" });
    expect(outcome, JSON.stringify(outcome)).toMatchObject({
      status: "completed",
      value: { status: "released", modules: ["MM-twice@1.1.0", "MM-quad@1.0.0"] },
    });
    expect(log()).toEqual(["APPROVED", "RESOLVED"]);
    expect(await works.services.codeIndex.find("MM-twice@1.0.0")).toMatchObject({ status: "SUPERSEDED", superseded_by: "MM-twice@1.1.0" });
    expect(works.files("modules/MM-twice/1.1.0")).toEqual(expect.arrayContaining(["contract.json", "debate.json", "ship.json"]));
    expect(JSON.stringify(works.asked.findLast(({ role }) => role === "planner")?.sections())).toContain("MM-twice@1.1.0");
  });

  test("agreed on but not built, it is asked again; a second approval may build it", async () => {
    await halted({
      proposer: [deliver, change(), ...Array.from({ length: 3 }, () => change("MM-none@1.0.0")), deliverLarge, deliver],
      challenger: [PASS, GOOD, GOOD, PASS],
      arbiter: [APPROVE, AGREED, AGREED, APPROVE],
    });
    expect(await answer({ decision: "APPROVE_CHANGE" })).toMatchObject({ status: "waiting" });
    expect(await works.services.codeIndex.find("MM-twice@1.0.0")).toMatchObject({ status: "SHIPPED" });
    expect(works.file("modules/MM-twice/1.1.0/ship.json")).toBeNull();
    const outcome = await answer({ decision: "APPROVE_CHANGE", rationale: "once more" });
    expect(outcome, JSON.stringify(outcome)).toMatchObject({ value: { modules: ["MM-twice@1.1.0", "MM-quad@1.0.0"] } });
    expect(log()).toEqual(["APPROVED", "NOT_AGREED", "APPROVED", "RESOLVED"]);
  });

  test("[FAC-173] without agreement in three rounds a person decides again, with the debate recorded", async () => {
    const { escalation_id } = await halted({
      proposer: [deliver, change(), { proposed_delta: change().proposed_delta }, { proposed_delta: change().proposed_delta }, deliver],
      challenger: [PASS, GOOD, GOOD, GOOD, PASS],
      arbiter: [APPROVE, AGAINST, AGAINST, AGAINST, APPROVE],
    });
    expect(await answer({ decision: "APPROVE_CHANGE" })).toMatchObject({ status: "waiting" });
    expect(log()).toEqual(["APPROVED", "NOT_AGREED"]);
    const { details } = json<Escalation>(`escalations/${escalation_id}.json`);
    expect(details?.["change_debate"]).toHaveLength(3);
    expect(await works.services.codeIndex.find("MM-twice@1.0.0")).toMatchObject({ status: "SHIPPED" });
    expect(await answer({ decision: "REJECT_CHANGE", reason: "so be it", afterwards: "REQUEUE" })).toMatchObject(TWO);
  });
});
