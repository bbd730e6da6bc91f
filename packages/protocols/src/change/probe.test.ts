import { afterEach, expect, test } from "vitest";
import { NOTHING_MISSING, openWorkshop, patchOf, planFor, type Workshop } from "../features/testing/workshop.ts";

let services: Workshop;
afterEach(() => services.close());

/** A source with one changed line; the gate only checks that no file contains BUG. */
const CHANGED = { before: "export const letter = (a) => a;", after: "export const letter = (a) => a + 1;" };
const script = {
  planner: [planFor("letters", { files: { create: [], modify: ["src/a.js"], delete: [] } })],
  builder: [patchOf("src/a.js", CHANGED.before, CHANGED.after)],
  qa: [NOTHING_MISSING],
};
const files = { "src/a.js": `${CHANGED.before}\n` };

test("with a probe in the policy, the person is told that no test noticed the broken copy", async () => {
  services = await openWorkshop(script, { files, policy: { "supervisor: {": "probe: { mutants: 1 }\nsupervisor: {" } });
  const outcome = await services.drive(await services.start("letters"));
  expect(outcome).toMatchObject({ status: "waiting" });
  const [question] = await services.open();
  const warning = "no test failed when a line of this change was broken on purpose (src/a.js:1)";
  expect(question).toMatchObject({ kind: "approval", context: { flags: expect.arrayContaining([warning]) } });
  expect(question?.body).toContain(`Look closely: ${warning}`);
});

test("without a probe in the policy, no broken copy is tried", async () => {
  services = await openWorkshop(script, { files });
  const runId = await services.start("letters");
  await services.drive(runId);
  expect((await services.steps(runId, "letters")).filter((step) => step.startsWith("probe"))).toEqual([]);
});
