import type { ShipEvidence } from "@slipway/languages/contracts/evidence";
import { describe, expect, test } from "vitest";
import { factoryRecords, shippedEntry } from "../testing/factory-records.ts";
import { candidateFor } from "./candidate.ts";
import { MAX_ROUNDS, registerSuccessor, resolveException, type DebateRound, type ResolvePorts } from "./resolve.ts";
import { CURRENT, exception, NO_CHANGE } from "./testing/samples.ts";

const candidate = (fields: Parameters<typeof exception>[0] = {}) => {
  const candidacy = candidateFor(CURRENT, exception(fields));
  if (!candidacy.ok) throw new Error(candidacy.problems.join("; "));
  return candidacy.candidate;
};
const problems = (fields: Parameters<typeof exception>[0]) => {
  const candidacy = candidateFor(CURRENT, exception(fields));
  return candidacy.ok ? "" : candidacy.problems.join("; ");
};
const withDelta = (delta: Partial<typeof NO_CHANGE>) => ({ proposed_contract_delta: { ...NO_CHANGE, ...delta } });

describe("the candidate contract", () => {
  test("is the current one with the delta, a minor version later if it is compatible", () => {
    const { contract, claim_holds, found } = candidate();
    expect(contract.module_version).toBe("1.1.0");
    expect(contract.inputs.map(({ name }) => name)).toEqual(["text", "locale"]);
    expect(contract.compatibility.backward_compatible_with).toEqual(["MM-parse_duration@1.0.0"]);
    expect([found, claim_holds]).toEqual(["BACKWARD_COMPATIBLE", true]);
  });

  test("is a major version later if it is breaking, or unknown", () => {
    expect(candidate({ compatibility_expectation: "BREAKING" }).contract.module_version).toBe("2.0.0");
    expect(candidate({ compatibility_expectation: "UNKNOWN" }).contract.module_version).toBe("2.0.0");
  });

  test("has every kind of change that a delta can have", () => {
    const { contract, found, claim_holds, differences } = candidate(
      withDelta({
        removed_inputs: ["text"],
        added_inputs: [{ name: "duration", type: "string", constraints: [] }],
        modified_outputs: [{ name: "minutes", type: "bigint", invariants: [] }],
        added_outputs: [{ name: "rest", type: "string", invariants: [] }],
        added_error_surfaces: [{ name: "LocaleError", when: "the language is unknown", surface: "exception" }],
        added_effects: [{ type: "WRITE", target: "log", description: "each duration" }],
        mode_changes: { async: true, notes: "both" },
      }),
    );
    expect(contract).toMatchObject({
      inputs: [{ name: "duration" }],
      outputs: [{ name: "minutes", type: "bigint" }, { name: "rest" }],
      error_surfaces: [{ name: "DurationError" }, { name: "LocaleError" }],
      effects: [{ target: "log" }],
      modes: { sync: true, async: true, notes: "both" },
    });
    expect([found, claim_holds]).toEqual(["BREAKING", false]);
    expect(contract.compatibility.backward_compatible_with).toEqual([]);
    expect(differences.join("\n")).toContain("outputs: minutes");
  });

  test.each([
    [{ added_inputs: CURRENT.inputs }, 'has already "text"'],
    [{ removed_inputs: ["locale"] }, 'has no "locale"'],
    [{ modified_inputs: [{ name: "locale", type: "string", constraints: [] }] }, 'has no "locale"'],
    [{ added_outputs: CURRENT.outputs }, 'has already "minutes"'],
    [{ removed_outputs: ["hours"] }, 'has no "hours"'],
    [{ modified_outputs: [{ name: "hours", type: "number", invariants: [] }] }, 'has no "hours"'],
    [{ added_error_surfaces: CURRENT.error_surfaces }, 'has already "DurationError"'],
    [{ modified_inputs: CURRENT.inputs }, "does not change the contract"],
    [{ mode_changes: { sync: false } }, "/modes"],
  ])("is refused with %j", (delta, said) => {
    expect(problems(withDelta(delta))).toContain(said);
  });
});

describe("[FAC-173] a resolution", () => {
  function ports(rounds: readonly Partial<DebateRound>[], fields: Partial<ResolvePorts> = {}) {
    const steps: string[] = [];
    const asked: Parameters<ResolvePorts["debateRound"]>[0][] = [];
    const opened: string[] = [];
    const made: ResolvePorts = {
      step: (name, body) => (steps.push(name.replace("ICE-0a1b2c3d:", "")), body()),
      contractOf: async () => CURRENT,
      dependentsOf: async () => [{ module_id: "MM-report", version: "1.0.0" }],
      debateRound: async (round) => {
        asked.push(round);
        return { decision: "REJECT", rationale: `round ${round.number}`, record: {}, ...rounds[round.number - 1] };
      },
      openVersion: async ({ contract }) => void opened.push(contract.module_version),
      ...fields,
    };
    return { made, steps, asked, opened };
  }

  test("runs its steps in order and ends with the first agreement", async () => {
    const { made, steps, asked, opened } = ports([{ decision: "APPROVE" }]);
    expect(await resolveException(exception(), made)).toMatchObject({ kind: "agreed", module_ref: "MM-parse_duration@1.1.0" });
    expect(steps).toEqual(["validate", "assess_impact", "debate_round:1", "finalize"]);
    expect(opened).toEqual(["1.1.0"]);
    expect(asked[0]).toMatchObject({ impact: { consumers: ["MM-report@1.0.0"], broken: [] }, earlier: [] });
    expect(asked[0]?.questions).toHaveLength(3);
  });

  test("goes back to the person after three rounds without agreement, with the transcript", async () => {
    const { made, asked, opened } = ports([]);
    const resolution = await resolveException(exception(), made);
    expect(resolution).toMatchObject({ kind: "not_agreed", reason: "No agreement on ICE-0a1b2c3d in 3 rounds. round 3" });
    expect(resolution.kind === "not_agreed" && resolution.rounds).toHaveLength(MAX_ROUNDS);
    expect(asked.map(({ earlier }) => earlier.length)).toEqual([0, 1, 2]);
    expect(opened).toEqual([]);
  });

  test("debates the revised delta in the next round", async () => {
    const revised = { ...NO_CHANGE, added_outputs: [{ name: "rest", type: "string", invariants: [] }] };
    const { made, asked } = ports([{ revised }, { decision: "APPROVE" }]);
    expect(await resolveException(exception(), made)).toMatchObject({ kind: "agreed" });
    expect(asked[1]?.candidate.contract.outputs.map(({ name }) => name)).toEqual(["minutes", "rest"]);
  });

  test("does not accept an approval of a false compatibility", async () => {
    const breaking = exception(withDelta({ removed_inputs: ["text"] }));
    const { made, asked } = ports([{ decision: "APPROVE" }, { decision: "APPROVE" }, { decision: "APPROVE" }]);
    expect(await resolveException(breaking, made)).toMatchObject({ kind: "not_agreed" });
    expect(asked[0]).toMatchObject({ candidate: { claim_holds: false }, impact: { broken: ["MM-report@1.0.0"] } });
    const honest = { ...breaking, compatibility_expectation: "BREAKING" as const };
    expect(await resolveException(honest, ports([{ decision: "APPROVE" }]).made)).toMatchObject({
      kind: "agreed",
      module_ref: "MM-parse_duration@2.0.0",
    });
  });

  test("fails without a contract, or with a delta that does not apply", async () => {
    const none = ports([], { contractOf: async () => null });
    expect(await resolveException(exception(), none.made)).toMatchObject({
      kind: "invalid",
      problems: [expect.stringContaining("no contract")],
    });
    const odd = ports([]);
    expect(await resolveException(exception(withDelta({ removed_inputs: ["x"] })), odd.made)).toMatchObject({ kind: "invalid" });
    expect([...none.asked, ...odd.asked]).toEqual([]);
  });
});

describe("the new version replaces the old one", () => {
  const ship = (result: "PASS" | "FAIL", module_version = "1.1.0"): ShipEvidence => ({
    module_id: "MM-parse_duration",
    module_version,
    ship_id: "SHIP-0a1b2c3d",
    verified_at: "2026-01-02T03:04:05Z",
    verification: { result, interface_fingerprint: "0".repeat(64), evidence_ref: "x" },
    environment: { repo_revision: "x", dependency_lock_ref: "x", runner_id: "x" },
  });

  test("if it has passing evidence of its own, and not before", async () => {
    const { index, ship: into, call } = await factoryRecords();
    await into(shippedEntry("parse_duration"));
    const entry = shippedEntry("parse_duration", { version: "1.1.0" });
    for (const evidence of [null, ship("FAIL"), ship("PASS", "1.0.0")])
      await expect(registerSuccessor(index, call(), { exception: exception(), ship: evidence, entry })).rejects.toThrow(
        "no passing ship evidence",
      );
    const other = shippedEntry("other", { version: "1.1.0" });
    await expect(registerSuccessor(index, call(), { exception: exception(), ship: ship("PASS"), entry: other })).rejects.toMatchObject({
      code: "policy_violation",
    });
    expect((await index.snapshot()).map(({ status }) => status)).toEqual(["SHIPPED"]);

    const once = call();
    const register = () => registerSuccessor(index, once, { exception: exception(), ship: ship("PASS"), entry });
    await register();
    expect(await register()).toEqual({ module_ref: "MM-parse_duration@1.1.0" });
    expect(await index.snapshot()).toMatchObject([
      { version: "1.0.0", status: "SUPERSEDED", superseded_by: "MM-parse_duration@1.1.0", notes: expect.stringContaining("ICE-0a1b2c3d") },
      { version: "1.1.0", status: "SHIPPED", superseded_by: null },
    ]);
  });
});
