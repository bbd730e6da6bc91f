import { afterAll, afterEach, expect, test } from "vitest";
import { APPROVE, planOf } from "../engineering/testing/modules.ts";
import { escalationKind } from "../escalation/schema.ts";
import { taskThatHalted } from "./protocol.ts";
import { approved } from "../testing/approved.ts";
import { AGAINST, AGREED, calling, change, deliverLarge, GOOD } from "../testing/changes.ts";
import { deliver, PASS } from "../testing/numbers.ts";
import { language, type Works } from "../testing/works.ts";

let works: Works;
afterEach(() => works.close());
afterAll(() => language.close());

test("an exception is decided long after its task was abandoned: first without agreement, then built, and the new version replaces the old one", async () => {
  const begun = await approved({
    planner: [planOf(["MM-twice"]), calling],
    proposer: [deliver, change(), { proposed_delta: change().proposed_delta }, { proposed_delta: change().proposed_delta }, deliverLarge],
    challenger: [PASS, GOOD, GOOD, GOOD, GOOD, PASS],
    arbiter: [APPROVE, AGAINST, AGAINST, AGAINST, AGREED, APPROVE],
  });
  ({ works } = begun);
  await works.answer({ decision: "DEFER" });
  await works.drive();
  await works.answer({ action: "ABANDON_TASK", rationale: "for now" });
  expect(await works.drive()).toMatchObject({ value: { status: "released", modules: ["MM-twice@1.0.0"] } });

  const [escalation] = await works.services.documents.list(escalationKind);
  const exception_id = String(escalation!.details?.["exception_id"]);
  const input = { exception_id, task: taskThatHalted(escalation!), by: "person:kim", note: "now" };
  expect(await works.change(input)).toMatchObject({ value: { status: "not_changed", exception_id } });
  expect(await works.services.codeIndex.find("MM-twice@1.0.0")).toMatchObject({ status: "SHIPPED" });
  expect(await works.change(input)).toMatchObject({ value: { status: "changed", module_ref: "MM-twice@1.1.0" } });
  expect(await works.services.codeIndex.find("MM-twice@1.0.0")).toMatchObject({ status: "SUPERSEDED", superseded_by: "MM-twice@1.1.0" });
  const log = works.file(`exceptions/${exception_id}.decisions.jsonl`) ?? "";
  const statuses = [...log.matchAll(/"status":"(\w+)"/g)].map(([, status]) => status);
  expect(statuses).toEqual(["DEFERRED", "APPROVED", "NOT_AGREED", "APPROVED", "RESOLVED"]);
  // It is closed: a third decision changes nothing.
  expect(await works.change(input)).toMatchObject({ status: "failed", failure: { code: "invalid_status_transition" } });
});
