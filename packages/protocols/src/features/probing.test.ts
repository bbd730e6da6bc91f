import { afterEach, expect, test } from "vitest";
import { NOTHING_MISSING, openWorkshop, patchOf, planFor, type Workshop } from "./testing/workshop.ts";

let shop: Workshop;
afterEach(() => shop.close());

/** A source whose only line changes; the gate looks at nothing but that no file says BUG. */
const CHANGED = { before: "export const letter = (a) => a;", after: "export const letter = (a) => a + 1;" };
const script = {
  planner: [planFor("letters", { files: { create: [], modify: ["src/a.js"], delete: [] } })],
  builder: [patchOf("src/a.js", CHANGED.before, CHANGED.after)],
  qa: [NOTHING_MISSING],
};
const files = { "src/a.js": `${CHANGED.before}\n` };

test("where the policy wants it, a person is told that no test would have noticed", async () => {
  shop = await openWorkshop(script, { files, policy: { "supervisor: {": "probe: { mutants: 1 }\nsupervisor: {" } });
  const outcome = await shop.drive(await shop.start("letters"));
  expect(outcome).toMatchObject({ status: "waiting" });
  const [question] = await shop.open();
  const warning = "no test noticed when a line of this change was broken on purpose (src/a.js:1)";
  expect(question).toMatchObject({ kind: "approval", context: { flags: expect.arrayContaining([warning]) } });
  expect(question?.body).toContain(`Look closely: ${warning}`);
});

test("and where it does not, nothing is tried", async () => {
  shop = await openWorkshop(script, { files });
  const runId = await shop.start("letters");
  await shop.drive(runId);
  expect((await shop.steps(runId, "letters")).filter((step) => step.startsWith("probe"))).toEqual([]);
});
