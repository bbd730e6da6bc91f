import { executionLogSchema, shipEvidenceSchema } from "@slipway/languages/contracts/evidence";
import { fingerprintOf } from "@slipway/languages/contracts/fingerprint";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import {
  amendedOf,
  amendments,
  APPROVE,
  challengeOf,
  codeOf,
  contractOf,
  COVERAGE,
  proposalOf,
  REJECT,
  testsOf,
} from "./testing/modules.ts";
import { language, ONE_MODULE, openWorkshop, type Script, type Workshop, type WorkshopOptions } from "./testing/workshop.ts";

let services: Workshop;
afterEach(() => services.close());
afterAll(() => language.close());

async function run(script: Script, options?: WorkshopOptions) {
  const usual = { ...ONE_MODULE, proposer: [proposalOf()], challenger: [challengeOf()], arbiter: [APPROVE] };
  services = await openWorkshop({ ...usual, ...script }, options);
  return services.run();
}
const CONTRACT = contractOf();
const LOCKED = fingerprintOf(CONTRACT);
const done = [{ amendment_index: 0, applied: true, note: "done" }];
const MODIFY = amendments({ action: "MODIFY", target: "twice", detail: "`twice` returns n + n" });
/** Approved with an amendment that breaks it: reaches the ship step without a challenge. */
const breaking = (code: string): Script => ({
  proposer: [proposalOf(), amendedOf(CONTRACT, { "implementation/index.ts": code }, done), proposalOf()],
  arbiter: [MODIFY, APPROVE],
});
const halted = (result: Awaited<ReturnType<typeof run>>) => {
  if (result.status !== "HALTED" || result.halt.cause !== "module_failed") throw new Error("not halted");
  return { failure: result.halt.failed[0]!, escalation: result.halt.escalation };
};

describe("the ship step", () => {
  test("[FAC-155] runs the tests itself, records the results, seals everything and registers once", async () => {
    await run({ proposer: [proposalOf(CONTRACT, {}, { claim: "All 500 tests pass." })] });
    const [module] = services.kept.sealed;
    expect(Object.keys(module!.files).toSorted()).toEqual([
      "contract.json",
      "examples.md",
      "implementation/index.ts",
      "ship.json",
      "tests/execution_log.json",
      "tests/module.test.ts",
    ]);
    const log = executionLogSchema.parse(JSON.parse(module!.files["tests/execution_log.json"]!));
    expect(log.tests.map(({ name, result }) => `${name}: ${result}`)).toEqual([
      "doubles: PASS",
      "whole numbers become even: PASS",
      "refuses a negative number: PASS",
    ]);
    expect(log.summary).toEqual({ total: 3, passed: 3, failed: 0 });
    const evidence = shipEvidenceSchema.parse(JSON.parse(module!.files["ship.json"]!));
    expect(evidence).toMatchObject({
      module_id: "MM-twice",
      module_version: "1.0.0",
      verification: { result: "PASS", interface_fingerprint: LOCKED },
    });
    expect(evidence.verification.evidence_ref).toBe("state_store/modules/MM-twice/1.0.0/tests/execution_log.json");
    expect(services.kept.registered).toEqual([{ module_id: "MM-twice", version: "1.0.0" }]);
  });

  test("[FAC-153] in this order: the fingerprint, the tests, the evidence, the seal, the index", async () => {
    await run({});
    const order = (await services.steps()).flatMap((step) => /^MM-\w+\/ship:1:(\w+)$/.exec(step)?.[1] ?? []);
    // The contract it is checked against is looked up first.
    expect(order).toEqual(["environment", "fingerprint", "tests", "evidence", "seal", "status", "register"]);
  });

  describe("checks the approved version only", () => {
    const steps = async () => (await services.steps()).filter((step) => step.startsWith("MM-twice/"));
    const seen = async (step: string) => (await services.results())[`MM-twice/${step}`] as { problem: string | null };

    test("runs the tests once, after the Arbiter", async () => {
      await run({});
      const order = await steps();
      expect(order.filter((step) => step.endsWith(":tests"))).toEqual(["MM-twice/ship:1:tests"]);
      expect(order.indexOf("MM-twice/adjudicate:1")).toBeLessThan(order.indexOf("MM-twice/ship:1:tests"));
      expect(await seen("ship:1:tests")).toMatchObject({ problem: null });
    });

    test("runs no tests of a refused module", async () => {
      const OPINION = { invariant: "error surfaces", evidence: "infinity is doubled to infinity", required_change: "refuse it" };
      const result = await run({
        proposer: [proposalOf()],
        challenger: [challengeOf({ R3: "a number that is not finite is an error nobody declared" }, [OPINION]), challengeOf()],
      });
      expect(result.status).toBe("SHIPPED");
      expect((await steps()).filter((step) => /:(?:tests|evidence)$/.test(step))).toEqual([
        "MM-twice/ship:2:tests",
        "MM-twice/ship:2:evidence",
      ]);
      expect(services.kept.sealed).toHaveLength(1);
    });

    test("runs the tests of the amended version, not of the proposal", async () => {
      const code = codeOf().replace("n * 2", "n + n");
      await run({ proposer: [proposalOf(), amendedOf(CONTRACT, { "implementation/index.ts": code }, done)], arbiter: [MODIFY] });
      expect((await steps()).filter((step) => step.endsWith(":tests"))).toEqual(["MM-twice/ship-amended:1:tests"]);
      expect(await seen("ship-amended:1:tests")).toMatchObject({ problem: null });
      expect(services.kept.sealed[0]!.files["implementation/index.ts"]).toBe(code);
    });
  });

  test("[FAC-150] [FAC-151] another surface is refused with both fingerprints, and revised like any objection", async () => {
    const result = await run(breaking(codeOf().replace("n: number", "n: number, times: number").replace("n * 2", "n * times")));
    expect(result.status).toBe("SHIPPED");
    const told = services.asked
      .filter(({ role }) => role === "proposer")
      .at(-1)!
      .sections()["results"]!;
    const [objection] = JSON.parse(told) as { evidence: string }[];
    expect(objection?.evidence).toMatch(new RegExp(`^Interface fingerprint mismatch: expected ${LOCKED}, got [0-9a-f]{64}$`));
    expect(services.asked.filter(({ role }) => role === "challenger")).toHaveLength(2);
    expect(services.kept.sealed).toHaveLength(1);
  });

  test("[FAC-152] if it never matches, the escalation has both fingerprints, module, version and the dimensions", async () => {
    const wrong = proposalOf(CONTRACT, {
      "implementation/index.ts": codeOf().replace("n * 2", "String(n)").replace("): number", "): string"),
    });
    const { failure, escalation } = halted(await run({ proposer: [wrong], arbiter: [REJECT] }));
    expect(failure).toMatchObject({
      module_id: "MM-twice",
      module_version: "1.0.0",
      fingerprint: { locked: LOCKED, diff: [{ dimension: "outputs" }] },
    });
    expect(escalation.resolution_context).toContain(LOCKED);
    expect(escalation.resolution_context).toContain(failure.fingerprint!.actual);
    expect(escalation.resolution_context).toContain("MM-twice@1.0.0");
    expect(escalation.resolution_context).toContain('"dimension":"outputs"');
  });

  test("[FAC-083] [FAC-156] no evidence while a test fails; when revisions are used up, the whole log is in the escalation", async () => {
    const failing = { "tests/module.test.ts": `${testsOf()}test("and more", () => assert.equal(twice(1), 3));\n` };
    const { failure, escalation } = halted(await run({ proposer: [proposalOf(CONTRACT, failing)], arbiter: [REJECT] }));
    expect(failure.execution_log).toMatchObject({ summary: { total: 4, passed: 3, failed: 1 } });
    expect(escalation.resolution_context).toContain(JSON.stringify(failure.execution_log));
    expect(await services.artifacts.query({ artifact_type: "SHIP_EVIDENCE" })).toEqual([]);
  });

  test("[FAC-156] a test that fails only at ship costs a revision too", async () => {
    const result = await run(breaking(codeOf().replace("n * 2", "n + n + 1")));
    expect(result.status).toBe("SHIPPED");
    expect(
      services.asked
        .filter(({ role }) => role === "proposer")
        .at(-1)!
        .sections()["results"],
    ).toContain('\\"doubles\\" fails');
    expect((await services.steps()).filter((step) => step.endsWith(":evidence") && step.startsWith("MM-"))).toEqual([
      "MM-twice/ship:2:evidence",
    ]);
  });

  test("[FAC-154] nothing ships without a test that ran", async () => {
    const none = amendedOf(CONTRACT, { "tests/module.test.ts": "console.log('fine');\n" }, done);
    const result = await run({
      proposer: [proposalOf(), none, proposalOf()],
      arbiter: [amendments({ action: "MODIFY", target: "tests/module.test.ts", detail: "`tests/module.test.ts` prints fine" }), APPROVE],
    });
    expect(result.status).toBe("SHIPPED");
    expect(
      services.asked
        .filter(({ role }) => role === "proposer")
        .at(-1)!
        .sections()["results"],
    ).toContain("no test was run");
  });

  test("[FAC-082] a proposal that lacks a required test gets a FAIL that names it, whatever the Challenger says", async () => {
    await run({
      proposer: [proposalOf(CONTRACT, {}, { coverage: COVERAGE.filter(({ category }) => category !== "error surface") }), proposalOf()],
    });
    const first = services.kept.rounds.find(({ round, file }) => round === 1 && file === "challenge.json")?.body as {
      verdict: string;
      failures: { evidence: string }[];
      rubric_assessments: object[];
    };
    expect(first.verdict).toBe("FAIL");
    expect(first.failures.map(({ evidence }) => evidence)).toEqual(["no test for error surface: NegativeError (n is negative)"]);
    expect(first.rubric_assessments).toContainEqual(expect.objectContaining({ criterion: "R2", assessment: "NOT_MET" }));
  });

  test("a version that was shipped elsewhere in the meantime is not shipped again", async () => {
    services = await openWorkshop({
      ...ONE_MODULE,
      proposer: [proposalOf()],
      challenger: [challengeOf()],
      arbiter: [
        () => {
          services.kept.sealed.push({
            module_id: "MM-twice",
            version: "1.0.0",
            files: { "contract.json": JSON.stringify(CONTRACT) },
            depends_on: [],
          });
          return APPROVE;
        },
      ],
    });
    await expect(services.run()).rejects.toThrow("MM-twice would ship as 1.0.1, but 1.0.0 is locked.");
  });
});
