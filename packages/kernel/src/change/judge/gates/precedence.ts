import { SlipwayError } from "../../../schema/errors.ts";
import type { Plan } from "../../plan/schema.ts";
import { GATES_FILE, type GateStep, type GatesConfig } from "../../../config/gates.ts";

export type VerificationOverrides = NonNullable<Plan["verification_overrides"]>;
type StepOverride = NonNullable<NonNullable<NonNullable<VerificationOverrides["modes"]>["fast"]>["steps"]>[number];

export interface CoverageRatios {
  readonly line?: number | undefined;
  readonly branch?: number | undefined;
}

/** The policy's constraints; gates.yaml and plans may only be stricter. */
export interface GateConstraints {
  readonly defaultStepTimeoutSeconds: number;
  readonly minimums?: CoverageRatios | undefined;
  readonly targets?: CoverageRatios | undefined;
}

export interface PlannedStep {
  readonly name: string;
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutSeconds: number;
  readonly network: boolean;
  readonly produces: readonly string[];
}

export interface PlannedGate {
  readonly profile: string;
  readonly mode: string;
  readonly steps: readonly PlannedStep[];
  readonly coverage: NonNullable<GatesConfig["parsers"]>["coverage"] | null;
  readonly tests: NonNullable<GatesConfig["parsers"]>["tests"] | null;
  readonly minimums: CoverageRatios;
  readonly targets: CoverageRatios;
}

/** Policy, then gates.yaml, then the plan: each may tighten the one before it, none may relax it. */
export function planGate(
  config: GatesConfig,
  profile: string,
  mode: string,
  constraints: GateConstraints,
  overrides: VerificationOverrides = {},
): PlannedGate {
  const steps = stepsOf(config, profile, mode);
  const planned = steps.map((step) => plannedStep(step, constraints.defaultStepTimeoutSeconds));
  const { coverage, tests } = config.parsers ?? {};
  const applies = (parser: { modes?: readonly string[] | undefined }) => parser.modes?.includes(mode) ?? true;
  const minimums = strictestMinimums(config, constraints.minimums ?? {});
  // Only the fast mode may omit the report; a merge needs a measurement.
  const excused = mode === "fast" && coverage !== undefined && !applies(coverage);
  return {
    profile,
    mode,
    steps: applyOverrides(planned, overridesFor(overrides, mode), mode),
    coverage: coverage !== undefined && applies(coverage) ? coverage : null,
    tests: tests !== undefined && applies(tests) ? tests : null,
    minimums: excused ? {} : minimums,
    targets: {
      line: config.thresholds?.coverage_line_target ?? constraints.targets?.line,
      branch: config.thresholds?.coverage_branch_target ?? constraints.targets?.branch,
    },
  };
}

/** Profiles with their modes and steps, or only the named one. */
export function listGates(config: GatesConfig, profile?: string): GatesConfig["profiles"] {
  if (profile === undefined) return config.profiles;
  const named = Object.hasOwn(config.profiles, profile) ? config.profiles[profile] : undefined;
  if (named === undefined) throw unknownGate(config, profile, null);
  return { [profile]: named };
}

function stepsOf(config: GatesConfig, profile: string, mode: string): readonly GateStep[] {
  const modes = Object.entries(listGates(config, profile)[profile]?.modes ?? {});
  const steps = modes.find(([name]) => name === mode)?.[1];
  if (steps === undefined) throw unknownGate(config, profile, mode);
  return steps;
}

function plannedStep(step: GateStep, defaultTimeoutSeconds: number): PlannedStep {
  return {
    name: step.name,
    command: step.cmd,
    cwd: step.cwd ?? ".",
    env: step.env ?? {},
    timeoutSeconds: step.timeout_seconds ?? defaultTimeoutSeconds,
    network: step.network ?? false,
    produces: step.produces ?? [],
  };
}

function overridesFor({ modes = {} }: VerificationOverrides, mode: string): readonly StepOverride[] {
  return Object.entries(modes).find(([name]) => name === mode)?.[1]?.steps ?? [];
}

/** Every way in which the overrides would loosen the profile's gates; none for an unknown profile. */
export function looseOverrides(
  { profiles }: GatesConfig,
  profile: string,
  defaultTimeoutSeconds: number,
  overrides: VerificationOverrides,
): string[] {
  const modes = Object.hasOwn(profiles, profile) ? Object.entries(profiles[profile]?.modes ?? {}) : [];
  return modes.flatMap(([mode, steps = []]) => {
    const planned = steps.map((step) => plannedStep(step, defaultTimeoutSeconds));
    return relaxations(planned, overridesFor(overrides, mode), mode);
  });
}

function applyOverrides(steps: readonly PlannedStep[], overrides: readonly StepOverride[], mode: string): PlannedStep[] {
  const [relaxation] = relaxations(steps, overrides, mode);
  if (relaxation !== undefined) throw relaxed(relaxation, `verification_overrides.modes.${mode}.steps`);
  return steps.map((step) => {
    const override = overrides.find(({ name }) => name === step.name);
    return override === undefined
      ? step
      : { ...step, command: override.cmd, timeoutSeconds: override.timeout_seconds ?? step.timeoutSeconds };
  });
}

function relaxations(steps: readonly PlannedStep[], overrides: readonly StepOverride[], mode: string): string[] {
  return overrides.flatMap(({ name, cmd, timeout_seconds: seconds }, index) => {
    const step = steps.find((candidate) => candidate.name === name);
    if (step === undefined) {
      const names = steps.map((candidate) => candidate.name).join(", ");
      return [`The plan overrides step "${name}", which mode "${mode}" does not have (it has ${names}).`];
    }
    const problems: string[] = [];
    if (overrides.findIndex((other) => other.name === name) < index) problems.push(`The plan overrides step "${name}" twice.`);
    if (!step.command.every((part, position) => cmd[position] === part))
      problems.push(`The plan replaces the command of step "${name}"; it may only append arguments to ${JSON.stringify(step.command)}.`);
    if (seconds !== undefined && seconds > step.timeoutSeconds)
      problems.push(`The plan raises the timeout of step "${name}" from ${step.timeoutSeconds} to ${seconds} seconds.`);
    return problems;
  });
}

function strictestMinimums({ thresholds = {} }: GatesConfig, policy: CoverageRatios): CoverageRatios {
  const strictest = (metric: "line" | "branch") => {
    const own = thresholds[`coverage_${metric}_min`];
    const required = policy[metric];
    if (own !== undefined && required !== undefined && own < required) {
      const field = `thresholds.coverage_${metric}_min`;
      throw relaxed(`${GATES_FILE} sets ${field} to ${own}, below the ${required} that the policy requires.`, field);
    }
    return own ?? required;
  };
  return { line: strictest("line"), branch: strictest("branch") };
}

function relaxed(message: string, field: string): SlipwayError {
  return new SlipwayError("invalid_override_precedence", message, {
    field,
    suggested_next_actions: ["Remove the entry, or make it stricter than the value it overrides."],
  });
}

function unknownGate(config: GatesConfig, profile: string, mode: string | null): SlipwayError {
  const available = Object.fromEntries(Object.entries(config.profiles).map(([name, { modes }]) => [name, Object.keys(modes)]));
  const missing = mode === null ? `no profile "${profile}"` : `no mode "${mode}" in profile "${profile}"`;
  const list = Object.entries(available).map(([name, modes]) => `${name} (${modes.join(", ")})`);
  return new SlipwayError("unknown_gate_profile_or_mode", `${GATES_FILE} has ${missing}. It has ${list.join("; ")}.`, {
    file: GATES_FILE,
    field: mode === null ? "profiles" : `profiles.${profile}.modes`,
    available,
    suggested_next_actions: [`Use an existing one, or add it to ${GATES_FILE}.`],
  });
}
