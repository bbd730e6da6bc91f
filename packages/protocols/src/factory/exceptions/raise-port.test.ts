import { afterAll, afterEach, expect, test } from "vitest";
import { amendedOf, amendments, APPROVE, contractOf, planOf } from "../engineering/testing/modules.ts";
import { approved } from "../testing/approved.ts";
import { AGREED, calling, callingAgain, change, deliverLarge, GOOD } from "../testing/changes.ts";
import { deliver, PASS, SECOND } from "../testing/numbers.ts";
import { language, type Parts, type Works } from "../testing/works.ts";

let works: Works;
afterEach(() => works.close());
afterAll(() => language.close());

const { type: _, ...CHANGE } = change();
const TWO = { value: { status: "released", modules: ["MM-twice@1.0.0", "MM-quad@1.0.0"] } };

async function halted(parts: Parts) {
  const base = { planner: [planOf(["MM-twice"]), calling, callingAgain], challenger: [PASS], arbiter: [APPROVE] };
  const begun = await approved({ ...base, ...parts });
  ({ works } = begun);
  expect(begun.outcome).toMatchObject({ status: "waiting" });
  return works.question();
}
async function answer(value: unknown) {
  await works.answer(value);
  return works.drive();
}
function exception(): { exception_id: string; type: string; raised_by: { role: string; artifact_ref: string } } {
  const [file = ""] = works.files("exceptions").filter((path) => path.endsWith(".json"));
  return JSON.parse(works.file(`exceptions/${file}`) ?? "null") as ReturnType<typeof exception>;
}
const task = () =>
  (JSON.parse(works.file("project/state_machine.json") ?? "null") as { tasks: Record<string, { status: string }> }).tasks[SECOND];

/** An amendment changes a message, which makes an undeclared error escape. */
const AMENDMENT = { action: "MODIFY", target: "quad", detail: 'the message becomes "n must not be negative"' };
const LEAKY = `import { twice } from "#MM-twice";

export class NegativeError extends Error {}
class LargeError extends Error {}

export function quad(n: number): number {
  if (n < 0) throw new NegativeError("n must not be negative");
  if (n > 1e300) throw new LargeError("too large for twice");
  return twice(n);
}
`;
const leaking = (more: object) => ({
  ...amendedOf(
    contractOf("MM-quad", "quad", { dependencies: [{ ref: "MM-twice@^1.0.0", why: "it doubles" }] }),
    { "implementation/index.ts": LEAKY },
    [{ amendment_index: 0, applied: true, note: "" }],
  ),
  ...more,
});

test("[FAC-163] [FAC-169] the ship step raises the exception that the Proposer named if the surface differs from the locked one: the task halts, and no role is asked again", async () => {
  const parts = {
    proposer: [deliver, deliver, leaking({ upstream_change: CHANGE }), deliver],
    arbiter: [APPROVE, amendments(AMENDMENT), APPROVE],
  };
  expect(await halted(parts)).toMatchObject({ kind: "interface_change", context: { exception_id: exception().exception_id } });
  expect(exception()).toMatchObject({ type: "INCOMPLETE", raised_by: { role: "ship", artifact_ref: expect.stringMatching(/^IMPL-/) } });
  expect(task()).toMatchObject({ status: "HALTED" });
  expect(works.asked.filter(({ role }) => role === "proposer")).toHaveLength(3);
  expect(works.files("modules/MM-quad")).toEqual([]);
  expect(await answer({ decision: "REJECT_CHANGE", reason: "look first", afterwards: "REQUEUE" })).toMatchObject(TWO);
});

test("without such a dependency, or with an invalid one, a differing surface is revised", async () => {
  const blaming = leaking({ upstream_change: { ...CHANGE, target_module: "MM-none@1.0.0" } });
  const begun = await approved({
    planner: [planOf(["MM-twice"]), calling],
    proposer: [deliver, deliver, blaming, deliver],
    challenger: [PASS],
    arbiter: [APPROVE, amendments(AMENDMENT), APPROVE],
  });
  ({ works } = begun);
  expect(begun.outcome).toMatchObject(TWO);
  expect(works.files("exceptions")).toEqual([]);
});

test("[FAC-163] the Challenger may raise one in a debate", async () => {
  const question = await halted({
    proposer: [deliver],
    challenger: [PASS, { ...PASS, interface_change: { ...CHANGE, exception_type: "AMBIGUOUS" } }, PASS],
  });
  expect(question).toMatchObject({ kind: "interface_change" });
  expect(exception()).toMatchObject({ type: "AMBIGUOUS", raised_by: { role: "challenger" } });
  expect(await answer({ decision: "REJECT_CHANGE", reason: "clear enough", afterwards: "REQUEUE" })).toMatchObject(TWO);
});

test("[FAC-177] deferred, it can be decided later: the three decisions are offered beside the six resolutions, until the task moves", async () => {
  await halted({
    proposer: [deliver, change(), deliverLarge, deliver],
    challenger: [PASS, GOOD, PASS],
    arbiter: [APPROVE, AGREED, APPROVE],
  });
  const before = works.file(`exceptions/${exception().exception_id}.json`);
  const status = task();
  await answer({ decision: "DEFER", note: "after the weekend" });
  const later = await works.question();
  expect(later).toMatchObject({ kind: "escalation", context: { exception_id: exception().exception_id } });
  expect(later.options.map(({ value }) => value)).toEqual(
    expect.arrayContaining(["ABANDON_TASK", "APPROVE_CHANGE", "REJECT_CHANGE", "DEFER"]),
  );
  await answer({ decision: "DEFER" });
  expect(task()).toEqual(status);
  expect(await answer({ decision: "APPROVE_CHANGE" })).toMatchObject({ value: { modules: ["MM-twice@1.1.0", "MM-quad@1.0.0"] } });
  expect(works.file(`exceptions/${exception().exception_id}.json`)).toBe(before);
  const log = works.file(`exceptions/${exception().exception_id}.decisions.jsonl`) ?? "";
  expect([...log.matchAll(/"status":"(\w+)"/g)].map(([, word]) => word)).toEqual(["DEFERRED", "DEFERRED", "APPROVED", "RESOLVED"]);
});

test("deferred and then rejected for good, only the six are left", async () => {
  await halted({ proposer: [deliver, change(), deliver] });
  await answer({ decision: "DEFER" });
  expect(await answer({ decision: "REJECT_CHANGE", reason: "never", afterwards: "STAY_HALTED" })).toMatchObject({ status: "waiting" });
  const { options } = await works.question();
  expect(options.map(({ value }) => value)).not.toContain("APPROVE_CHANGE");
  expect(await answer({ action: "ABANDON_TASK", rationale: "not without it" })).toMatchObject({ value: { modules: ["MM-twice@1.0.0"] } });
});
