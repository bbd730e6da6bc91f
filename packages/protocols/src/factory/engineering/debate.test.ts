import { afterAll, afterEach, describe, expect, test } from "vitest";
import { amendedOf, amendments, APPROVE, challengeOf, codeOf, contractOf, proposalOf, REJECT } from "./testing/modules.ts";
import { language, ONE_MODULE, openWorkshop, type Script, type Workshop } from "./testing/workshop.ts";

let services: Workshop;
afterEach(() => services.close());
afterAll(() => language.close());

const HAPPY: Script = { ...ONE_MODULE, proposer: [proposalOf()], challenger: [challengeOf()], arbiter: [APPROVE] };

async function run(script: Script) {
  services = await openWorkshop({ ...HAPPY, ...script });
  return services.run();
}
const played = () => services.asked.filter(({ role }) => role !== "planner").map(({ role, attempt }) => `${role} ${attempt}`);
const shown = (role: string, turn = 0) => services.asked.filter((one) => one.role === role)[turn]!.sections();
const routes = async () => (await services.steps()).flatMap((step) => /\/route:(.*)$/.exec(step)?.[1] ?? []);
const statuses = async () => {
  const found = await services.artifacts.query({ artifact_type: "IMPLEMENTATION" });
  return found.toSorted((a, b) => (a.created_at < b.created_at ? -1 : 1)).map(({ status }) => status);
};
const OPINION = { invariant: "error surfaces", evidence: "infinity is doubled to infinity", required_change: "refuse it" };
const FAIL = challengeOf({ R3: "a number that is not finite is an error nobody declared" }, [OPINION]);

describe("the debate", () => {
  test("[FAC-073] a correct module is proposed, challenged, adjudicated and shipped, in this order", async () => {
    expect(await run({})).toMatchObject({ status: "SHIPPED", modules: ["MM-twice@1.0.0"] });
    expect(played()).toEqual(["proposer 1", "challenger 1", "arbiter 1"]);
    const steps = await services.steps();
    const at = (name: string) => steps.indexOf(`MM-twice/${name}`);
    const order = ["propose:1", "challenge:1", "route:1:adjudicate", "adjudicate:1", "route:1:ship", "ship:1:seal"].map(at);
    expect(order.every((place) => place >= 0)).toBe(true);
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    expect(await statuses()).toEqual(["SHIPPED"]);
  });

  test("[FAC-115] a FAIL with revisions left is revised, and the Proposer only gets the failures", async () => {
    await run({ challenger: [FAIL, challengeOf()] });
    expect(played()).toEqual(["proposer 1", "challenger 1", "proposer 2", "challenger 2", "arbiter 2"]);
    expect(await routes()).toEqual(["1:revise", "2:adjudicate", "2:ship"]);
    const { results, ...rest } = shown("proposer", 1);
    expect(JSON.parse(results!)).toEqual([OPINION]);
    expect(JSON.stringify(rest)).not.toContain("nobody declared");
    expect(shown("challenger", 1)["earlier rounds"]).toContain("infinity is doubled");
    // The revision is a new artifact; the challenged one does not change.
    expect(await statuses()).toEqual(["CHALLENGED", "SHIPPED"]);
    expect(services.kept.rounds.map(({ round, file }) => `${round} ${file}`)).toEqual([
      "1 proposal.json",
      "1 challenge.json",
      "1 witnesses.json",
      "2 proposal.json",
      "2 challenge.json",
      "2 witnesses.json",
      "2 adjudication.json",
    ]);
    expect(new Set(services.kept.rounds.map(({ debate }) => debate)).size).toBe(1);
  });

  test("[FAC-114] [FAC-117] after two revisions a FAIL goes to the Arbiter, who cannot simply approve; a rejection then halts", async () => {
    const result = await run({ challenger: [FAIL], arbiter: [APPROVE, REJECT] });
    expect(played()).toEqual([
      "proposer 1",
      "challenger 1",
      "proposer 2",
      "challenger 2",
      "proposer 3",
      "challenger 3",
      "arbiter 3",
      "arbiter 3",
    ]);
    expect(await routes()).toEqual(["1:revise", "2:revise", "3:adjudicate", "3:halt"]);
    expect(await services.counts()).toEqual([0, 1, 2, 2]);
    expect(services.asked.at(-1)?.prompt).toContain("/decision: must be one of APPROVE_WITH_AMENDMENTS, REJECT");
    expect(result).toMatchObject({ status: "HALTED", modules: [], halt: { cause: "module_failed", failed: [{ module_id: "MM-twice" }] } });
    if (result.status !== "HALTED" || result.halt.cause !== "module_failed") throw new Error("halted");
    const { debate_trail, failed_invariants, resolution_context, recommended_resolution } = result.halt.escalation;
    expect(debate_trail.proposals).toHaveLength(3);
    expect(debate_trail.challenges).toHaveLength(3);
    expect(debate_trail.adjudications).toHaveLength(1);
    expect(failed_invariants).toContainEqual({ invariant: OPINION.invariant, evidence: OPINION.evidence });
    expect(resolution_context).toContain("last adjudication of MM-twice: The objections stand.");
    expect(recommended_resolution).toBe("PROVIDE_FIX");
    expect(services.kept.sealed).toEqual([]);
    expect(services.kept.registered).toEqual([]);
  });

  test("[FAC-116] objections, rejections and a refusal at ship share two revisions, and each revision is debated again", async () => {
    const broken = { "implementation/index.ts": codeOf().replace("n * 2", "n + n + 0.5") };
    const change = { action: "MODIFY", target: "twice", detail: "`twice` returns n + n" };
    const result = await run({
      challenger: [FAIL, challengeOf(), challengeOf()],
      arbiter: [REJECT, amendments(change)],
      proposer: [
        proposalOf(),
        proposalOf(),
        proposalOf(),
        amendedOf(contractOf(), broken, [{ amendment_index: 0, applied: true, note: "" }]),
      ],
    });
    expect(await routes()).toEqual(["1:revise", "2:adjudicate", "2:revise", "3:adjudicate", "3:amend", "3:halt"]);
    expect(played().filter((one) => one.startsWith("challenger"))).toHaveLength(3);
    expect(result).toMatchObject({ status: "HALTED" });
    expect(JSON.parse(shown("proposer", 2)["results"]!)).toEqual([
      { invariant: "adjudication", evidence: REJECT.rationale, required_change: "Answer the reason for the rejection." },
    ]);
    expect(await statuses()).toEqual(["CHALLENGED", "DRAFT", "ADJUDICATED", "DRAFT"]);
  });
});

describe("amendments", () => {
  const change = { action: "MODIFY", target: "twice", detail: "`twice` also refuses NaN with a NegativeError" };
  const amended = (applied: object[], code = codeOf().replace("n < 0", "!(n >= 0)")) =>
    amendedOf(contractOf(), { "implementation/index.ts": code }, applied);

  test("[FAC-126] are applied by the Proposer, inspected, and shipped without a new debate", async () => {
    const result = await run({
      arbiter: [amendments(change)],
      proposer: [proposalOf(), amended([{ amendment_index: 0, applied: true, note: "done" }])],
    });
    expect(result.status).toBe("SHIPPED");
    expect(played()).toEqual(["proposer 1", "challenger 1", "arbiter 1", "proposer 1-amended"]);
    expect(JSON.parse(shown("proposer", 1)["adjudication"]!)).toMatchObject({ decision: "APPROVE_WITH_AMENDMENTS", amendments: [change] });
    expect(services.kept.sealed[0]?.files["implementation/index.ts"]).toContain("!(n >= 0)");
  });

  test.each([
    [
      "the Proposer reports that they are not applied",
      [{ amendment_index: 0, applied: false, note: "NaN is a number" }],
      undefined,
      "the Proposer did not apply it",
      "NaN is a number",
    ],
    ["nothing differs", [{ amendment_index: 0, applied: true, note: "done" }], codeOf(), '"twice" is unchanged', "done"],
    ["the record is missing", [], undefined, "the Proposer gave 0 records for it", ""],
  ])("[FAC-128] halt the task when %s", async (_, applied, code, problem, explanation) => {
    const result = await run({ arbiter: [amendments(change)], proposer: [proposalOf(), amended(applied, code)] });
    if (result.status !== "HALTED" || result.halt.cause !== "module_failed") throw new Error("halted");
    expect(result.halt.failed[0]?.unapplied).toEqual([{ amendment: change, problem, explanation }]);
    expect(result.halt.escalation.resolution_context).toContain(change.detail);
    expect(result.halt.escalation.resolution_context).toContain(explanation || "nothing");
    expect(services.kept.sealed).toEqual([]);
  });

  test("halt it if the Proposer gives no answer", async () => {
    const result = await run({ arbiter: [amendments(change)], proposer: [proposalOf(), "no"] });
    expect(result).toMatchObject({
      status: "HALTED",
      halt: { failed: [{ unapplied: [{ problem: "the Proposer gave no valid answer" }] }] },
    });
  });
});

describe("invalid answers", () => {
  test("[FAC-109] an invalid proposal costs a revision", async () => {
    const result = await run({ proposer: ["nothing", "nothing", "nothing", proposalOf()] });
    expect(result.status).toBe("SHIPPED");
    expect(await routes()).toEqual(["1:revise", "2:adjudicate", "2:ship"]);
    expect(shown("proposer", 3)["results"]).toContain("gave no valid answer");
    const never = await (async () => (
      await services.close(),
      run({ proposer: [{ ...proposalOf(), files: [{ path: "../x", content: "" }] }] })
    ))();
    expect(never).toMatchObject({ status: "HALTED", halt: { failed: [{ reason: "no valid proposal was made", deliverable: null }] } });
    expect((await services.artifacts.query({ artifact_type: "PROPOSAL" })).length).toBe(0);
  });

  test("[FAC-113] a contradictory adjudication is invalid, and without one nothing ships", async () => {
    const result = await run({ arbiter: [{ ...APPROVE, ship_directive: "NO_SHIP" }] });
    expect(result).toMatchObject({ status: "HALTED" });
    expect(services.asked.at(-1)?.prompt).toContain("/ship_directive: must be SHIP when the decision is APPROVE");
    expect(await services.artifacts.query({ artifact_type: "ADJUDICATION" })).toEqual([]);
    expect(services.kept.sealed).toEqual([]);
  });

  test("[FAC-124] a mild review is sent back twice with the reasons; then it is a FAIL, which costs a revision", async () => {
    const mild = {
      verdict: "PASS",
      failures: [],
      rubric_assessments: [{ criterion: "R1", assessment: "MET", evidence: "looks good, minor suggestions" }],
    };
    const result = await run({ challenger: [mild, mild, "no", "no", "no", challengeOf()] });
    expect(result.status).toBe("SHIPPED");
    const packs = services.kept.packs.filter(({ created_for }) => created_for.role === "challenger");
    expect(packs.map(({ created_for }) => created_for.run_id.split(":").at(-1))).toEqual(["1", "1-2", "1-3", "2"]);
    expect(shown("challenger", 1)["results"]).toContain("exactly one entry for each of R1, R2, R3, R4, R5, R6 is needed, found R1");
    expect(await routes()).toEqual(["1:revise", "2:adjudicate", "2:ship"]);
    const first = services.kept.rounds.find(({ round, file }) => round === 1 && file === "challenge.json")?.body;
    expect(first).toMatchObject({ verdict: "FAIL", failures: [{ invariant: "mild_review_violation" }] });
  });

  test("[FAC-122] a PASS with an unmet criterion is sent back", async () => {
    const contradiction = { ...challengeOf({ R2: "no test for the largest number there is" }), verdict: "PASS" };
    expect((await run({ challenger: [contradiction, challengeOf()] })).status).toBe("SHIPPED");
    expect(shown("challenger", 1)["results"]).toBe("/verdict: PASS although R2 is NOT_MET");
    expect(await routes()).toEqual(["1:adjudicate", "1:ship"]);
  });
});
