import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { listGates, planGate, type GateConstraints, type VerificationOverrides } from "./precedence.ts";
import { gatesSchema, type GatesConfig } from "../../../config/gates.ts";
import { gatesWith } from "./testing/gate.ts";

const constraints: GateConstraints = { defaultStepTimeoutSeconds: 600 };
const config = gatesWith([
  { name: "lint", cmd: ["npx", "lint"] },
  { name: "test", cmd: ["npx", "test"], timeout_seconds: 60, cwd: "sub", env: { A: "1" }, network: true, produces: [] },
]);

function plan(overrides: VerificationOverrides, given: GateConstraints = constraints, gates: GatesConfig = config) {
  return planGate(gates, "default", "full", given, overrides);
}

function code(action: () => unknown): string | null {
  try {
    action();
    return null;
  } catch (error) {
    return (error as { code: string }).code;
  }
}

const withMinimum = (line: number | undefined, branch?: number) =>
  ({ ...config, thresholds: { coverage_line_min: line, coverage_branch_min: branch } }) as GatesConfig;

describe("listGates", () => {
  it("[FEA-092] returns all profiles, or the named one, or names the existing ones", () => {
    const two: GatesConfig = {
      ...config,
      profiles: {
        ...config.profiles,
        nightly: { modes: { fast: [{ name: "a", cmd: ["a"] }], full: [{ name: "b", cmd: ["b"] }], merge: [{ name: "c", cmd: ["c"] }] } },
      },
    };
    expect(listGates(two)).toEqual(two.profiles);
    expect(listGates(two, "nightly")).toEqual({ nightly: two.profiles.nightly });
    for (const name of ["weekly", "__proto__", "toString"]) {
      expect(() => listGates(two, name)).toThrow(
        expect.objectContaining({ code: "unknown_gate_profile_or_mode", message: expect.stringContaining("nightly (fast, full, merge)") }),
      );
    }
  });
});

describe("planGate", () => {
  it("[FEA-039] steps without overrides run as in gates.yaml, without a shell", () => {
    expect(plan({}).steps).toEqual([
      { name: "lint", command: ["npx", "lint"], cwd: ".", env: {}, timeoutSeconds: 600, network: false, produces: [] },
      { name: "test", command: ["npx", "test"], cwd: "sub", env: { A: "1" }, timeoutSeconds: 60, network: true, produces: [] },
    ]);
  });

  it("an unknown profile or mode is refused, with the existing ones", () => {
    expect(code(() => planGate(config, "other", "full", constraints))).toBe("unknown_gate_profile_or_mode");
    expect(() => planGate(config, "other", "full", constraints)).toThrow('has no profile "other"');
    expect(() => planGate(config, "default", "merge", constraints)).toThrow('has no mode "merge" in profile "default"');
    for (const mode of ["merge", "slow", "toString"]) {
      expect(() => planGate(config, "default", mode, constraints)).toThrow(/It has default \(fast, full\)/);
    }
  });

  it("[FEA-147] a plan may append arguments to existing steps and shorten their timeouts, and nothing else", () => {
    const appended = plan({ modes: { full: { steps: [{ name: "test", cmd: ["npx", "test", "--grep", "x"], timeout_seconds: 30 }] } } });
    expect(appended.steps[1]).toMatchObject({
      command: ["npx", "test", "--grep", "x"],
      timeoutSeconds: 30,
      cwd: "sub",
      network: true,
      produces: [],
    });
    expect(appended.steps[0]).toEqual(plan({}).steps[0]);
    for (const steps of [
      [{ name: "deploy", cmd: ["npx", "test"] }],
      [{ name: "test", cmd: ["npx"] }],
      [{ name: "test", cmd: ["sh", "-c", "true"] }],
      [{ name: "test", cmd: ["npx", "other", "test"] }],
      [{ name: "test", cmd: ["npx", "test"], timeout_seconds: 61 }],
      [{ name: "lint", cmd: ["npx", "lint"], timeout_seconds: 601 }],
      [
        { name: "test", cmd: ["npx", "test", "a"] },
        { name: "test", cmd: ["npx", "test"] },
      ],
    ]) {
      expect(
        code(() => plan({ modes: { full: { steps } } })),
        JSON.stringify(steps),
      ).toBe("invalid_override_precedence");
    }
  });

  it("overrides of another mode do not matter", () => {
    expect(plan({ modes: { fast: { steps: [{ name: "none", cmd: ["x"] }] }, full: {} } })).toEqual(plan({}));
    expect(plan({ modes: {} })).toEqual(plan({}));
  });

  it("[FEA-146] gates.yaml may be stricter than the policy, never looser", () => {
    const policy = { ...constraints, minimums: { line: 0.9, branch: 0.8 } };
    expect(plan({}, policy, withMinimum(0.95)).minimums).toEqual({ line: 0.95, branch: 0.8 });
    expect(plan({}, policy).minimums).toEqual({ line: 0.9, branch: 0.8 });
    expect(plan({}, constraints, withMinimum(0.1, 0.2)).minimums).toEqual({ line: 0.1, branch: 0.2 });
    expect(code(() => plan({}, policy, withMinimum(0.89)))).toBe("invalid_override_precedence");
    expect(code(() => plan({}, policy, withMinimum(1, 0.79)))).toBe("invalid_override_precedence");
    // A longer timeout in gates.yaml relaxes nothing: the policy's is a default.
    expect(plan({}, { defaultStepTimeoutSeconds: 10 }).steps[1]?.timeoutSeconds).toBe(60);
  });

  it("targets come from gates.yaml, otherwise from the policy", () => {
    const own = { ...config, thresholds: { coverage_line_target: 0.97 } } as GatesConfig;
    expect(plan({}, { ...constraints, targets: { line: 1, branch: 1 } }, own).targets).toEqual({ line: 0.97, branch: 1 });
  });

  it("a parser applies to the modes it names", () => {
    const parsers = {
      coverage: { type: "lcov" as const, path: "l", modes: ["full" as const] },
      tests: { type: "junit_xml" as const, path: "t", modes: ["fast" as const] },
    };
    const gates = { ...config, parsers };
    expect(planGate(gates, "default", "full", constraints)).toMatchObject({ coverage: { type: "lcov" }, tests: null });
    expect(planGate(gates, "default", "fast", constraints)).toMatchObject({ coverage: null, tests: { type: "junit_xml" } });
  });

  it("no override relaxes anything", () => {
    const word = fc.constantFrom("npx", "lint", "test", "-x", "rm");
    const override = fc.record(
      {
        name: fc.constantFrom("lint", "test", "other"),
        cmd: fc.array(word, { minLength: 1, maxLength: 4 }),
        timeout_seconds: fc.integer({ min: 1, max: 900 }),
      },
      { requiredKeys: ["name", "cmd"] },
    );
    const ratio = fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: undefined });
    const thresholds = fc.record({ coverage_line_min: ratio, coverage_branch_min: ratio });
    const minimums = fc.record({ line: ratio, branch: ratio });
    let accepted = 0;
    fc.assert(
      fc.property(fc.array(override, { maxLength: 3 }), thresholds, minimums, (steps, ours, theirs) => {
        const gates = { ...config, thresholds: ours } as GatesConfig;
        const given = { ...constraints, minimums: theirs };
        let planned;
        try {
          planned = planGate(gates, "default", "full", given, { modes: { full: { steps } } } as VerificationOverrides);
        } catch (error) {
          expect((error as { code: string }).code).toBe("invalid_override_precedence");
          return;
        }
        accepted++;
        const base = plan({}, constraints).steps;
        expect(planned.steps.map(({ name }) => name)).toEqual(base.map(({ name }) => name));
        for (const [index, step] of planned.steps.entries()) {
          const original = base[index];
          expect(step.command.slice(0, original?.command.length)).toEqual(original?.command);
          expect(step.timeoutSeconds).toBeLessThanOrEqual(original?.timeoutSeconds ?? 0);
          expect({ ...step, command: 0, timeoutSeconds: 0 }).toEqual({ ...original, command: 0, timeoutSeconds: 0 });
        }
        for (const metric of ["line", "branch"] as const) expect(planned.minimums[metric] ?? 0).toBeGreaterThanOrEqual(theirs[metric] ?? 0);
      }),
      { numRuns: 500 },
    );
    expect(accepted).toBeGreaterThan(20);
  });
});

it.each([
  ["fast", {}],
  ["full", { line: 0.9, branch: undefined }],
])("a coverage report that only full writes requires no coverage of fast, and the full minimum of full: %s", (mode, minimums) => {
  const steps = [{ name: "test", cmd: ["true"] }];
  const config = gatesSchema.parse({
    version: 1,
    profiles: { default: { modes: { fast: steps, full: steps } } },
    parsers: { coverage: { type: "lcov", path: "lcov.info", modes: ["full"] } },
    thresholds: { coverage_line_min: 0.9 },
  });
  expect(planGate(config, "default", mode, { defaultStepTimeoutSeconds: 1 }).minimums).toEqual(minimums);
});
