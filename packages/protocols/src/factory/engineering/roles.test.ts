import { buildPrompt } from "@slipway/agents/prompt";
import { createPack } from "@slipway/agents/pack";
import { countTokens } from "gpt-tokenizer";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { protocolRole } from "../../dispatch/roles.ts";
import { instructionsIn, repetitions } from "../../testing/repetition.ts";
import { ARBITER_INSTRUCTIONS } from "./debate/adjudicate.ts";
import { CHALLENGER_INSTRUCTIONS } from "./debate/challenge.ts";
import { PROPOSER_INSTRUCTIONS } from "./debate/propose.ts";
import { DECOMPOSITION_RUBRIC, RUBRIC } from "./debate/rubric.ts";
import { adjudicationAnswerSchema, challengeAnswerSchema } from "./debate/schemas.ts";
import { planDraftSchema } from "./micro-plan.ts";
import { PLANNER_INSTRUCTIONS } from "./plan-task.ts";
import { amendedOf, amendments, APPROVE, challengeOf, codeOf, contractOf, planOf, proposalOf, REJECT } from "./testing/modules.ts";
import { language, ONE_MODULE, openWorkshop, TASK, type Asked, type Workshop } from "./testing/workshop.ts";

let services: Workshop;
let open = false;
afterEach(async () => {
  if (open) await services.close();
  open = false;
});
afterAll(() => language.close());

const SOURCE = "throw new NegativeError";
const change = { action: "MODIFY", target: "quad", detail: "`quad` says four times" };
const calling = contractOf("MM-quad", "quad", { dependencies: [{ ref: "MM-twice@^1.0.0", why: "it doubles" }] });
const opinion = { invariant: "n", evidence: "the edge of numbers is not looked at", required_change: "look at it" };

/** One debate with everything: a dependency, a revision, an amendment. */
async function everything() {
  open = true;
  services = await openWorkshop({
    planner: [planOf(["MM-twice"], ["MM-quad", ["MM-twice@^1.0.0"]])],
    "proposer/MM-twice": [proposalOf()],
    "proposer/MM-quad": [
      proposalOf(calling),
      proposalOf(calling),
      amendedOf(calling, { "implementation/index.ts": codeOf("quad").replace('"n is', '"four times n is') }, [
        { amendment_index: 0, applied: true, note: "" },
      ]),
    ],
    "challenger/MM-quad": [challengeOf({ R2: "no test looks at the edge of numbers" }, [opinion]), challengeOf()],
    challenger: [challengeOf()],
    "arbiter/MM-quad": [amendments(change)],
    arbiter: [APPROVE],
  });
  expect(await services.run()).toMatchObject({ status: "SHIPPED" });
}
const asked = (role: string, subject: string) => services.asked.filter((one) => one.role === role && one.subject === subject);
const titles = (one: Asked) => Object.keys(one.sections()).toSorted();
const text = (one: Asked) => JSON.stringify(one.sections());
const packOf = (one: Asked) => {
  const step = `${one.subject === TASK.task_id ? "" : `${one.subject}/`}`;
  const named = { proposer: "propose", challenger: "challenge", arbiter: "adjudicate", planner: "plan" }[one.role] ?? "";
  const run = one.attempt.endsWith("-amended") ? `amend:${one.attempt.replace("-amended", "")}` : `${named}:${one.attempt}`;
  return services.kept.packs.find(({ created_for }) => created_for.run_id.endsWith(`/${step}${run}`))!;
};

describe("the context of each role", () => {
  test("[FAC-072] [FAC-129] [FAC-130] [FAC-131] [FAC-132] is what the table grants, and nothing else", { timeout: 120_000 }, async () => {
    await everything();
    const [first, second, amending] = asked("proposer", "MM-quad");
    const [challenge, again] = asked("challenger", "MM-quad");
    const [decision] = asked("arbiter", "MM-quad");
    const [plan] = asked("planner", TASK.task_id);

    // The task begins with its file, schemas, rubric and index; no module exists yet.
    expect(titles(plan!)).toEqual([
      "results",
      "schemas of the harness",
      "task",
      "what counts as a micro module",
      "what the code index has",
    ]);
    const schemas = JSON.parse(plan!.sections()["schemas of the harness"]!) as Record<string, unknown>;
    expect(Object.keys(schemas).toSorted()).toEqual([
      "Adjudication",
      "Challenge",
      "MicroModuleContract",
      "MicroPlan",
      "Proposal",
      "ReuseSearchReport",
      "ShipEvidence",
    ]);

    // Proposer
    const always = ["dependency MM-twice@1.0.0", "module contract", "results", "schemas of the harness", "task", "what the code index has"];
    const workspace = ["contract.json", "examples.md", "implementation/index.ts", "tests/module.test.ts"];
    expect(titles(first!)).toEqual(always);
    expect(titles(second!)).toEqual([...always, ...workspace].toSorted());
    expect(titles(amending!)).toEqual([...always, ...workspace, "adjudication"].toSorted());
    expect(JSON.parse(second!.sections()["results"]!)).toEqual([opinion]);
    for (const one of [first, second, amending]) {
      for (const words of [...Object.values(RUBRIC), ...DECOMPOSITION_RUBRIC]) expect(one!.prompt).not.toContain(words.slice(0, 40));
    }
    expect(text(second!)).not.toContain("no test looks at the edge");

    // Challenger
    const seen = [
      "decomposition rubric",
      "dependency MM-twice@1.0.0",
      "earlier rounds",
      "evaluation rubric",
      "examples.md",
      "found by the harness",
      "module contract",
      "proposal",
      "results",
      "test summary",
    ];
    for (const one of [challenge, again]) expect(titles(one!)).toEqual(seen);
    expect(again!.sections()["earlier rounds"]).toContain("the edge of numbers");

    // Arbiter
    expect(titles(decision!)).toEqual([
      "challenge",
      "earlier rounds",
      "module contract",
      "proposal",
      "results",
      "task",
      "what became of each objection",
    ]);
    for (const one of [challenge, again, decision]) expect(one!.prompt).not.toContain(SOURCE);
    for (const one of [challenge, again]) expect(one!.prompt).not.toContain("heliotrope");
    expect(decision!.prompt).toContain("heliotrope");

    // The source of the other module is visible to no role, not even to its caller.
    expect(first!.prompt).not.toContain(SOURCE);
    expect(first!.sections()["dependency MM-twice@1.0.0"]).toContain("NegativeError: n is negative");

    const refs = (one: Asked) =>
      packOf(one).included_refs.map(({ ref, permission }) => `${ref.replace(/-[0-9a-f]{8}@[\d.]+$/, "")} ${permission}`);
    expect(refs(first!)).toEqual([`${TASK.task_ref} FULL`, "CTR FULL", "MM-quad@1.0.0 FULL", "MM-twice@1.0.0 CONTRACT_ONLY"]);
    expect(refs(second!)).toEqual([...refs(first!), "CHAL SUMMARY_ONLY"]);
    expect(refs(amending!)).toEqual([...refs(first!), "ADJ FULL"]);
    expect(refs(challenge!)).toEqual(["PROP FULL", "CTR FULL", "MM-twice@1.0.0 CONTRACT_ONLY"]);
    expect(refs(decision!)).toEqual([`${TASK.task_ref} FULL`, "CTR FULL", "PROP FULL", "CHAL FULL", "PROP FULL", "CHAL FULL"]);
    expect(packOf(challenge!).excluded_refs.map(({ ref }) => ref)).toEqual([TASK.task_ref, "MM-quad@1.0.0"]);
    for (const { included_refs, excluded_refs } of services.kept.packs) {
      for (const { ref, reason } of [...included_refs, ...excluded_refs]) {
        expect(ref).toMatch(/^[A-Z]+-[\w-]+@\d+\.\d+\.\d+$/);
        expect(reason).not.toBe("");
      }
    }
  });

  test("[FAC-131] the Challenger learns neither the decision nor the reason of a rejection", async () => {
    open = true;
    const rejection = { ...REJECT, rationale: "The word of the Arbiter is vermilion." };
    services = await openWorkshop({ ...ONE_MODULE, proposer: [proposalOf()], challenger: [challengeOf()], arbiter: [rejection, APPROVE] });
    expect(await services.run()).toMatchObject({ status: "SHIPPED" });
    const [first, again] = asked("challenger", "MM-twice");
    const [rejected] = JSON.parse(again!.sections()["earlier rounds"]!) as object[];
    expect(Object.keys(rejected!).toSorted()).toEqual(["challenge", "proposal"]);
    expect(titles(again!)).toEqual(titles(first!));
    expect(again!.prompt).not.toContain("vermilion");
    const adjudications = await services.artifacts.query({ artifact_type: "ADJUDICATION" });
    expect(adjudications).toHaveLength(2);
    const seen = packOf(again!).included_refs.map(({ ref }) => ref);
    for (const { artifact_id } of adjudications) expect(seen.filter((ref) => ref.startsWith(artifact_id))).toEqual([]);
    // The Proposer does.
    expect(asked("proposer", "MM-twice")[1]!.prompt).toContain("vermilion");
  });

  test("[FAC-077] one contribution per invocation, in order, each with its context pack", { timeout: 120_000 }, async () => {
    await everything();
    const runs = services.kept.packs.map(({ created_for }) => created_for.run_id);
    const made = services.kept.contributions.filter(({ type }) => type !== "SHIP_EVIDENCE");
    expect(made.map(({ produced_by }) => produced_by.run_id)).toEqual(runs);
    expect(made.map(({ type, produced_by }) => `${produced_by.role} ${type}`)).toEqual([
      "planner MICRO_PLAN",
      "proposer IMPLEMENTATION",
      "challenger CHALLENGE",
      "arbiter ADJUDICATION",
      "proposer IMPLEMENTATION",
      "challenger CHALLENGE",
      "proposer IMPLEMENTATION",
      "challenger CHALLENGE",
      "arbiter ADJUDICATION",
      "proposer IMPLEMENTATION",
    ]);
    for (const { context_pack_ref, produced_by, task_ref } of services.kept.contributions.filter(({ type }) => type !== "SHIP_EVIDENCE")) {
      expect(services.kept.packs.find(({ context_pack_id }) => context_pack_id === context_pack_ref)?.created_for.run_id).toBe(
        produced_by.run_id,
      );
      expect(task_ref).toBe(TASK.task_ref);
    }
    expect(services.kept.contributions.filter(({ type }) => type === "SHIP_EVIDENCE")).toHaveLength(2);
  });
});

describe("the prompts of the engineering loop", () => {
  const ROLES = {
    planner: { instructions: [PLANNER_INSTRUCTIONS], schema: planDraftSchema },
    proposer: { instructions: Object.values(PROPOSER_INSTRUCTIONS), schema: null },
    challenger: { instructions: [CHALLENGER_INSTRUCTIONS], schema: challengeAnswerSchema },
    arbiter: { instructions: [ARBITER_INSTRUCTIONS], schema: adjudicationAnswerSchema(["APPROVE", "REJECT"]) },
  };

  test.each(Object.entries(ROLES))("the prompt of the %s is short and has no repetition", async (name, { instructions, schema }) => {
    const role = await protocolRole("factory", name, async () => null);
    expect(countTokens(role.prompt)).toBeLessThanOrEqual(350);
    expect((role.description ?? "").length).toBeGreaterThan(20);
    for (const one of instructions) expect(countTokens(one)).toBeLessThanOrEqual(60);
    const shown =
      schema === null
        ? ""
        : buildPrompt({ role, subject: "MM-x", pack: createPack([]), instructions: instructions[0] ?? "", schema }).text.split(
            "JSON Schema:",
          )[1];
    const described = [...(shown ?? "").matchAll(/"description": "(.*)"/g)].flatMap(([, said]) => instructionsIn(said ?? ""));
    expect(repetitions([instructionsIn(role.prompt), instructions.flatMap(instructionsIn), described])).toEqual([]);
  });
});
