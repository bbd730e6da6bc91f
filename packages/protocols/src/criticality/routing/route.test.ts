import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { TIER_ROLE, TIERS } from "../escalation/attempts.ts";
import { defaultChoice, fallbackOf } from "./defaults.ts";
import { assertContextWindows, assertRoleInPhase, PHASE_ROLES, PHASES, ROLE_ALIASES, type RoleAlias } from "./roles.ts";
import { route, signalsSchema, signatureComplexity, TASK_TYPES, type RoutingSignals } from "./route.ts";

const SIGNALS: RoutingSignals = {
  estimatedInputTokens: 1000,
  estimatedOutputTokens: 500,
  taskType: "implement",
  signatureComplexity: 1,
  dependencyCount: 0,
  contractCount: 0,
  priorEscalations: 0,
  moduleEscalationRate: 0,
};

describe("roles", () => {
  test("[CRI-143] there are five aliases, and only the table of defaults names a model", () => {
    expect(ROLE_ALIASES).toEqual(["architect_model", "auditor_model", "structurer_model", "worker_model", "fallback_model"]);
    const root = join(import.meta.dirname, "..");
    const naming = readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.(?:ts|md)$/.test(entry.name) && !entry.name.endsWith(".test.ts"))
      .map((entry) => join(entry.parentPath, entry.name))
      .filter(
        (file) => !file.includes("/testing/") && /claude-(?:opus|sonnet|haiku)|kimi-k|minimax-m|gpt-\d/.test(readFileSync(file, "utf8")),
      )
      .map((file) => relative(root, file));
    expect(naming).toEqual(["routing/defaults.ts"]);
  });

  test("[CRI-144] each phase has its roles, and a call with any other is refused", () => {
    const short = (roles: readonly RoleAlias[]) => roles.map((role) => role.replace("_model", ""));
    expect(Object.fromEntries(PHASES.map((phase) => [phase, short(PHASE_ROLES[phase])]))).toEqual({
      ignition: ["architect", "auditor"],
      lattice: ["structurer"],
      compositionAudit: ["auditor", "architect"],
      injection: ["worker", "structurer", "architect"],
      mesoscopic: ["structurer", "auditor"],
      massDefect: ["worker", "architect", "auditor"],
    });
    for (const phase of PHASES)
      for (const role of ROLE_ALIASES) {
        if (PHASE_ROLES[phase].includes(role)) assertRoleInPhase(phase, role);
        else expect(() => assertRoleInPhase(phase, role)).toThrow(`${role} has no part in the phase ${phase}.`);
      }
  });

  test("[CRI-144] injection goes from worker to structurer to architect", () => {
    expect(TIERS.map((tier) => TIER_ROLE[tier])).toEqual(PHASE_ROLES.injection);
  });

  test.each([
    ["architect", 100_000],
    ["auditor", 50_000],
    ["structurer", 100_000],
    ["worker", 16_000],
    ["refiner", 100_000],
  ] as const)("[CRI-145] a %s needs %i tokens of context: one less is refused, with file and field", (role, minimum) => {
    assertContextWindows({ [role]: minimum }, "slipway/criticality.toml");
    expect(() => assertContextWindows({ [role]: minimum - 1 }, "slipway/criticality.toml")).toThrow(
      `slipway/criticality.toml, models.${role}: its context of ${minimum - 1} tokens is too small; the role needs ${minimum}.`,
    );
  });
});

describe("routing", () => {
  test("[CRI-146] the signals are these eight, and the same ones always give the same route", () => {
    expect(Object.keys(signalsSchema.shape).toSorted()).toEqual(Object.keys(SIGNALS).toSorted());
    const signals = fc.record({
      estimatedInputTokens: fc.nat(50_000),
      estimatedOutputTokens: fc.nat(50_000),
      taskType: fc.constantFrom(...TASK_TYPES),
      signatureComplexity: fc.double({ min: 0, max: 20, noNaN: true }),
      dependencyCount: fc.nat(30),
      contractCount: fc.nat(30),
      priorEscalations: fc.nat(5),
      moduleEscalationRate: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    fc.assert(
      fc.property(signals, (some) => {
        const before = structuredClone(some);
        expect(route(some)).toEqual(route(before));
        expect(some).toEqual(before);
        expect(signalsSchema.safeParse(some).success).toBe(true);
      }),
    );
  });

  test.each([
    ["implement", "worker_model"],
    ["audit", "auditor_model"],
    ["transform", "worker_model"],
    ["synthesize", "architect_model"],
    ["structure", "structurer_model"],
  ] as const)("[CRI-147] %s goes to %s", (taskType, role) => {
    expect(route({ ...SIGNALS, taskType })).toEqual({ role, preempted: null });
  });

  test("[CRI-148] long input, then a complex signature, make it the structurer's beforehand; that is no escalation", () => {
    const long = route({ ...SIGNALS, estimatedInputTokens: 12_001, signatureComplexity: 6, taskType: "transform" });
    expect(long).toEqual({ role: "structurer_model", preempted: "more than 12000 tokens of input" });
    expect(route({ ...SIGNALS, signatureComplexity: 5.5 })).toEqual({
      role: "structurer_model",
      preempted: "a signature more complex than 5",
    });
    expect(route({ ...SIGNALS, estimatedInputTokens: 12_000 }).role).toBe("worker_model");
  });

  test.each(["audit", "synthesize", "structure"] as const)("[CRI-148] %s is never moved", (taskType) => {
    expect(route({ ...SIGNALS, taskType, estimatedInputTokens: 90_000, signatureComplexity: 50 }).preempted).toBeNull();
  });

  test("[CRI-149] generics and lifetimes count double, unions and depth once, parameters half; exactly 5 stays with the worker", () => {
    const none = { genericParams: 0, unionMembers: 0, lifetimeParams: 0, nestedTypeDepth: 0, paramCount: 0 };
    expect(signatureComplexity({ genericParams: 1, unionMembers: 2, lifetimeParams: 3, nestedTypeDepth: 4, paramCount: 5 })).toBe(16.5);
    expect(signatureComplexity(none)).toBe(0);
    const five = signatureComplexity({ ...none, genericParams: 1, unionMembers: 1, nestedTypeDepth: 1, paramCount: 2 });
    expect(five).toBe(5);
    expect(route({ ...SIGNALS, signatureComplexity: five }).role).toBe("worker_model");
  });
});

describe("who serves a model", () => {
  test("[CRI-150] the models and routers that come with the protocol; an endpoint of one's own takes a family over", () => {
    expect(defaultChoice("architect_model")).toEqual({ router: "claude-code", model: "claude-opus-4-5", endpoint: null });
    expect(defaultChoice("structurer_model")).toEqual({ router: "claude-code", model: "claude-sonnet-4-5", endpoint: null });
    expect(defaultChoice("auditor_model")).toEqual({ router: "opencode", model: "kimi-k2", endpoint: "openrouter" });
    expect(defaultChoice("worker_model")).toEqual({ router: "opencode", model: "minimax-m2", endpoint: "openrouter" });
    const own = { minimax: "cerebras", kimi: "groq" };
    expect([defaultChoice("worker_model", own).endpoint, defaultChoice("auditor_model", own).endpoint]).toEqual(["cerebras", "groq"]);
    expect(defaultChoice("structurer_model", { claude: "elsewhere" }).endpoint).toBeNull();
  });

  test("[CRI-151] a Claude model takes the place of what OpenRouter serves; nothing takes the place of Claude", () => {
    expect(fallbackOf(defaultChoice("worker_model"))).toEqual(defaultChoice("fallback_model"));
    expect(fallbackOf(defaultChoice("auditor_model"))).toMatchObject({ router: "claude-code", model: expect.stringContaining("claude") });
    expect(fallbackOf(defaultChoice("architect_model"))).toBeNull();
  });
});
