import { SlipwayError } from "@slipway/agents/errors";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { APPROVE, codeOf, planOf, REJECT } from "./engineering/testing/modules.ts";
import type { Escalation } from "./escalation/schema.ts";
import type { StateMachine } from "./project/state.ts";
import { approved } from "./testing/approved.ts";
import { deliver, FAIL, FIRST, NUMBERS, PASS, SECOND } from "./testing/numbers.ts";
import { language, type Parts, type Works } from "./testing/works.ts";

let works: Works;
afterEach(() => works.close());
afterAll(() => language.close());

async function halted(parts: Parts = {}) {
  const begun = await approved({ challenger: [FAIL, FAIL, FAIL, PASS], arbiter: [REJECT, APPROVE], ...parts });
  ({ works } = begun);
  expect(begun.outcome).toMatchObject({ status: "waiting" });
  return escalation();
}
async function escalation(): Promise<Escalation> {
  const { kind, context } = await works.question();
  expect(kind).toBe("escalation");
  return context["escalation"] as Escalation;
}
async function answer(value: unknown) {
  await works.answer(value);
  return works.drive();
}
const json = <T>(path: string) => JSON.parse(works.file(path) ?? "null") as T;
const statuses = () => Object.values(json<StateMachine>("project/state_machine.json").tasks).map(({ status }) => status);
const kept = ({ escalation_id }: Escalation) => json<Escalation>(`escalations/${escalation_id}.json`);
const asked = (role: string) => works.asked.filter((one) => one.role === role).length;

describe("a halted task", () => {
  test("[FAC-214] is HALTED, blocks its dependants, is recorded and waits across restarts; [FAC-211] a fix is challenged and ships", async () => {
    const first = await halted();
    expect(statuses()).toEqual(["HALTED", "BLOCKED"]);
    expect(first).toMatchObject({ task_id: FIRST, recommended_resolution: "PROVIDE_FIX", details: { halted_by: "module_failed" } });
    expect(Object.values(first.state_machine_snapshot.tasks).map(({ status }) => status)).toEqual(["HALTED", "BLOCKED"]);
    expect(kept(first)).toEqual(first);
    expect(first.debate_trail.challenges).toHaveLength(3);
    await works.reopen();
    expect(await works.drive()).toMatchObject({ status: "waiting" });
    expect(asked("proposer")).toBe(3);

    // Outside the module: refused, nothing has changed, and it is asked again with the reason.
    const outside = { action: "PROVIDE_FIX", fix_description: "done by hand", fix_artifacts: { "../other.ts": "" } };
    expect(await answer(outside)).toMatchObject({ status: "waiting" });
    expect((await works.question()).body).toContain("The last answer was refused");
    expect(statuses()).toEqual(["HALTED", "BLOCKED"]);

    const fix_artifacts = { "implementation/index.ts": `${codeOf()}// by hand\n` };
    const outcome = await answer({ action: "PROVIDE_FIX", fix_description: "done by hand", fix_artifacts });
    expect(outcome).toMatchObject({ status: "completed", value: { status: "released", modules: ["MM-twice@1.0.0", "MM-quad@1.0.0"] } });
    expect(works.file("modules/MM-twice/1.0.0/implementation/index.ts")).toContain("// by hand");
    // Three of the earlier module, one of the second task: the person's fix was not revised.
    expect(asked("proposer")).toBe(4);
    expect(kept(first)).toMatchObject({ resolution: { action: "PROVIDE_FIX", by: "person:kim" } });
    // The rounds before the fix still exist.
    expect(works.files("debates").filter((path) => path.endsWith("proposal.json"))).toHaveLength(5);
  });

  test("[FAC-206] an override ships without a debate if fingerprint and tests pass, and halts again if not", async () => {
    const broken = (shown: Record<string, string>) => {
      const proposal = deliver(shown);
      const files = proposal.files.map((file) =>
        file.path === "implementation/index.ts" ? { ...file, content: file.content.replace("n * 2", "n * 3") } : file,
      );
      return { ...proposal, files };
    };
    const first = await halted({ proposer: [deliver, deliver, broken] });
    expect(await answer({ action: "APPROVE_OVERRIDE", rationale: "good enough" })).toMatchObject({ status: "waiting" });
    const second = await escalation();
    expect(second.escalation_id).not.toBe(first.escalation_id);
    expect(second.failed_invariants).toMatchObject([{ invariant: "tests at ship" }]);
    expect(kept(first)).toMatchObject({ resolution: { action: "APPROVE_OVERRIDE" } });
    expect(statuses()).toEqual(["HALTED", "BLOCKED"]);
    expect(works.files("modules")).toEqual([]);

    // Abandoned: its dependant is asked about, and gets other dependencies.
    expect(await answer({ action: "ABANDON_TASK", rationale: "never mind" })).toMatchObject({ status: "waiting" });
    const stuck = await escalation();
    expect(stuck).toMatchObject({ task_id: SECOND, failed_invariants: [{ evidence: `${FIRST} was abandoned` }] });
    expect(statuses()).toEqual(["ABANDONED", "BLOCKED"]);
    expect(await answer({ action: "ABANDON_TASK", rationale: "pointless now" })).toMatchObject({ value: { status: "nothing_built" } });
    expect(works.files("releases")).toEqual([]);
  });

  test("an override of a correct module ships it as delivered", async () => {
    await halted();
    const outcome = await answer({ action: "APPROVE_OVERRIDE", rationale: "infinity is fine" });
    expect(outcome).toMatchObject({ value: { status: "released", modules: ["MM-twice@1.0.0", "MM-quad@1.0.0"] } });
    expect(asked("challenger")).toBe(4);
  });

  const cyclic = planOf(["MM-twice", ["MM-quad@^1.0.0"]], ["MM-quad", ["MM-twice@^1.0.0"]]);
  const calling = planOf(["MM-quad", ["MM-twice@^1.0.0"]]);

  test("[FAC-210] a person's plan is validated like any other and restarts the task", async () => {
    const parts = { planner: [cyclic, cyclic, cyclic, calling], challenger: [PASS], arbiter: [APPROVE] };
    expect(await halted(parts)).toMatchObject({ details: { halted_by: "plan_invalid" } });
    expect(await answer({ action: "REVISE_PLAN", revised_micro_plan: cyclic })).toMatchObject({ status: "waiting" });
    expect((await works.question()).body).toContain("depends_on has a cycle");
    const outcome = await answer({ action: "REVISE_PLAN", revised_micro_plan: planOf(["MM-twice"]) });
    expect(outcome).toMatchObject({ value: { status: "released", modules: ["MM-twice@1.0.0", "MM-quad@1.0.0"] } });
    expect(asked("planner")).toBe(4);
  });

  test("a split replaces it with new tasks; its dependant builds on one of them", async () => {
    const parts = { planner: [cyclic, cyclic, cyclic, planOf(["MM-twice"]), calling], challenger: [PASS], arbiter: [APPROVE] };
    await halted(parts);
    const [{ task_id: _, ...task }] = NUMBERS.pillars[0]!.epics[0]!.stories[0]!.tasks as [
      (typeof NUMBERS.pillars)[0]["epics"][0]["stories"][0]["tasks"][0],
    ];
    const split = { action: "SPLIT_TASK", new_tasks: [{ ...task, name: "Double simply", depends_on: [] }] };
    expect(await answer(split)).toMatchObject({ status: "waiting" });
    // The new one ships first; only then does nothing remain but the task that waits for the split one.
    expect(statuses()).toEqual(["ABANDONED", "BLOCKED", "SHIPPED"]);
    const added = FIRST.replace("001", "003");
    const criteria = ["returns the double of a number", "raises NegativeError for a negative number"];
    const outcome = await answer({
      action: "AMEND_SPEC",
      amended_acceptance_criteria: criteria,
      amendment_rationale: "the other one was split",
      depends_on: [added],
    });
    expect(outcome).toMatchObject({ value: { status: "released", modules: ["MM-twice@1.0.0", "MM-quad@1.0.0"] } });
    const file = works.files("project").find((path) => path.endsWith(`${SECOND}.md`));
    expect(works.file(`project/${file}`)).toContain("## Amendment History");
  });

  test("an unexpected failure is a halt like any other", async () => {
    const absent = new SlipwayError("config_invalid", "There is no such provider.", { requires_human: true });
    const begun = await approved({ planner: [absent, planOf(["MM-twice"]), calling], challenger: [PASS] });
    ({ works } = begun);
    expect(await works.question()).toMatchObject({ kind: "mend" });
    expect(await answer({ decision: "give_up" })).toMatchObject({ status: "waiting" });
    expect(await escalation()).toMatchObject({ task_id: FIRST, details: { halted_by: "broke_off" } });
    const again = {
      action: "AMEND_SPEC",
      amended_acceptance_criteria: ["returns the double of a number"],
      amendment_rationale: "once more",
    };
    expect(await answer(again)).toMatchObject({ value: { status: "released" } });
  });
});
