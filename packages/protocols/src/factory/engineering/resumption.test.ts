import { SlipwayError } from "@slipway/agents/errors";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import type { EngineeringResult } from "./engineering.ts";
import { APPROVE, challengeOf, codeOf, planOf, proposalOf, REJECT } from "./testing/modules.ts";
import { language, ONE_MODULE, openWorkshop, TASK, type Script, type Workshop, type WorkshopOptions } from "./testing/workshop.ts";

let services: Workshop;
afterEach(() => services.close());
afterAll(() => language.close());

/** A Proposer that delivers the module of its contract. */
const anyModule = (shown: Record<string, string>) => proposalOf(JSON.parse(shown["module contract"]!) as never);
const HAPPY: Script = { ...ONE_MODULE, proposer: [anyModule], challenger: [challengeOf()], arbiter: [APPROVE] };

async function open(script: Script, options: WorkshopOptions = {}) {
  services = await openWorkshop({ ...HAPPY, ...script }, options);
  return services;
}
const halt = (result: EngineeringResult) => {
  if (result.status !== "HALTED") throw new Error("not halted");
  return result;
};
const attempted = () => [...new Set(services.asked.filter(({ role }) => role === "proposer").map(({ subject }) => subject))];
const FAIL = challengeOf({ R3: "numbers beyond the largest one are not refused" }, [
  { invariant: "n", evidence: "1e309", required_change: "refuse it" },
]);

describe("decisions of a person", () => {
  const failing: Script = { challenger: [FAIL], arbiter: [REJECT] };
  async function failed() {
    await open(failing);
    const result = halt(await services.run());
    if (result.halt.cause !== "module_failed" || result.locked === null) throw new Error("no module failed");
    const [failure] = result.halt.failed;
    return { locked: result.locked, shipped: result.halt.shipped, module_id: "MM-twice", deliverable: failure!.deliverable };
  }

  test("an override ships without a debate; fingerprint and tests are still checked", async () => {
    const continued = await failed();
    const before = services.asked.length;
    expect(await services.run({}, { kind: "override", ...continued, rationale: "infinity is fine" })).toMatchObject({
      status: "SHIPPED",
      modules: ["MM-twice@1.0.0"],
    });
    expect(services.asked).toHaveLength(before);
    const decisions = await services.artifacts.query({ artifact_type: "ADJUDICATION" });
    const human = decisions.find(({ created_by }) => created_by.role === "human");
    expect(JSON.parse(await services.artifacts.read(human!.artifact_id, "adjudication.json"))).toMatchObject({
      decision: "APPROVE",
      rationale: "infinity is fine",
    });
  });

  test("an override of a module that fails its tests goes back to the person", async () => {
    const continued = await failed();
    const broken = {
      ...continued.deliverable!,
      files: { ...continued.deliverable!.files, "implementation/index.ts": codeOf().replace("n * 2", "n") },
    };
    const result = halt(await services.run({}, { kind: "override", ...continued, deliverable: broken, rationale: "ship it" }));
    expect(result.halt).toMatchObject({
      failed: [{ failed_invariants: [{ invariant: "tests at ship" }], execution_log: { summary: { failed: 2 } } }],
    });
    const other = { ...broken, files: { ...broken.files, "implementation/index.ts": codeOf("another") } };
    const again = halt(await services.run({}, { kind: "override", ...continued, deliverable: other, rationale: "ship it" }));
    expect(again.halt).toMatchObject({ failed: [{ failed_invariants: [{ invariant: "interface fingerprint" }] }] });
    expect(services.kept.sealed).toEqual([]);
  });

  test("[FAC-073] a fix is challenged and adjudicated, and not revised", async () => {
    const continued = await failed();
    const fix = {
      kind: "fix",
      ...continued,
      description: "refuses infinity",
      files: { "implementation/index.ts": `${codeOf()}// mended\n` },
    } as const;
    expect(halt(await services.run({}, fix)).halt).toMatchObject({
      cause: "module_failed",
      escalation: { debate_trail: { proposals: [{ claim: "refuses infinity" }] } },
    });
    await services.close();
    await open({});
    expect(await services.run({}, { ...fix, deliverable: { ...continued.deliverable!, ref: undefined as never } })).toMatchObject({
      status: "SHIPPED",
    });
    expect(services.asked.map(({ role }) => role)).toEqual(["challenger", "arbiter"]);
    expect(services.kept.sealed[0]?.files["implementation/index.ts"]).toContain("// mended");
  });
});

describe("an interface change exception", () => {
  const change = {
    exception_type: "CANNOT_SUPPORT",
    target_module: "MM-half@1.0.0",
    reason: "it cannot halve fractions",
    evidence: ["half(1) is undefined in its contract"],
    proposed_delta: { added_outputs: [{ name: "rest" }] },
    compatibility: "BACKWARD_COMPATIBLE",
    urgency: "BLOCKING",
  };

  test("halts the task at once when the Proposer raises it", async () => {
    await open({ planner: [planOf(["MM-twice"], ["MM-other"])], "proposer/MM-twice": [{ type: "INTERFACE_CHANGE", ...change }] });
    const { halt: why } = halt(await services.run());
    expect(why).toMatchObject({ cause: "interface_change", exception_id: "ICE-0123abcd", module_id: "MM-twice" });
    expect(why.escalation.resolution_context).toContain("it cannot halve fractions");
    expect(why.escalation.failed_invariants).toEqual([{ invariant: "contract of MM-half@1.0.0", evidence: change.evidence[0] }]);
    expect(services.kept.raised).toEqual([
      { ...change, raised_by: { artifact_ref: TASK.task_ref, role: "proposer", run_id: expect.stringContaining("propose:1") } },
    ]);
    expect(attempted()).toEqual(["MM-twice"]);
  });

  test("or when the Challenger does; a refused one changes nothing", async () => {
    await open({ challenger: [{ ...challengeOf(), interface_change: change }] });
    expect(halt(await services.run()).halt).toMatchObject({ cause: "interface_change" });
    await services.close();
    const refusing = { raise: () => ({ ok: false as const, problems: ["MM-half is no dependency"] }) };
    await open(
      { proposer: [{ type: "INTERFACE_CHANGE", ...change }, anyModule], challenger: [{ ...challengeOf(), interface_change: change }] },
      refusing,
    );
    expect((await services.run()).status).toBe("SHIPPED");
    expect(services.asked.filter(({ role }) => role === "proposer")[1]!.sections()["results"]).toContain("MM-half is no dependency");
  });
});

describe("an unavailable provider", () => {
  test("is a question for a person, and costs nothing", async () => {
    const missing = new SlipwayError("provider_auth_missing", "no key");
    await open({ arbiter: [missing, APPROVE] });
    await expect(services.run()).rejects.toThrow(/waiting|suspended/);
    await services.answerNext({ decision: "retry" });
    expect(services.kept.registered).toHaveLength(1);
    await services.close();
    await open({ arbiter: [missing] });
    await expect(services.run()).rejects.toThrow();
    await services.answerNext({ decision: "give_up" });
    expect(services.kept.sealed).toEqual([]);
  });

  test("an unavailable model of the code index costs nothing either: finished work stays", async () => {
    const away = { search: 1, register: 1 };
    const beforeIndex = (what: "search" | "register") => {
      if (away[what]-- > 0) throw new SlipwayError("config_invalid", "The code index was embedded with another model.");
    };
    await open({}, { beforeIndex });
    await expect(services.run()).rejects.toThrow(/waiting|suspended/);
    expect(services.asked).toEqual([]);
    await services.answerNext({ decision: "retry" });
    expect(services.kept.sealed).toHaveLength(1);
    expect(services.kept.registered).toEqual([]);
    await services.answerNext({ decision: "retry" });
    expect(services.kept.registered).toEqual([{ module_id: "MM-twice", version: "1.0.0" }]);
    expect(services.asked.map(({ role }) => role)).toEqual(["planner", "proposer", "challenger", "arbiter"]);
    await services.close();
    await open({}, { beforeIndex: () => void JSON.parse("no JSON") });
    await expect(services.run()).rejects.toThrow(/JSON/);
  });
});
