import type { Decision } from "@slipway/kernel/record/decisions/decision";
import type { InjectionTier } from "../escalation/attempts.ts";
import type { RunArtifacts } from "../run-artifacts.ts";
import { PHASES, type CriticalityPhase } from "../routing/roles.ts";
import type { TelemetryEvent } from "../telemetry/events.ts";
import type { SuccessMetrics } from "../telemetry/success-metrics.ts";
import { eventsOf } from "../telemetry/telemetry.ts";
import { testCount } from "./run-status.ts";

/** What is known of the delivered source; null before it is delivered. */
export interface ProgramSize {
  readonly lines: number;
  /** Of each function. */
  readonly cyclomatic: readonly number[];
}

export interface MeasuredRun {
  readonly artifacts: Pick<RunArtifacts, "functions" | "claims">;
  readonly events: readonly TelemetryEvent[];
  /** The furthest phase that the run has entered. */
  readonly reached: CriticalityPhase;
  /** Failed, cancelled, or given up by a person. */
  readonly isLost: boolean;
  readonly durationMs: number;
  readonly program: ProgramSize | null;
  readonly coverage: number | null;
  /** Security findings that a person accepted instead of having them corrected. */
  readonly acceptedFindings: number;
}

/** Over one run or several. A rate without cases is null: not measured. */
export function measureRuns(runs: readonly MeasuredRun[]): SuccessMetrics {
  const sum = (of: (run: MeasuredRun) => number) => runs.reduce((total, one) => total + of(one), 0);
  const after = (phase: CriticalityPhase) => runs.filter(({ reached }) => PHASES.indexOf(reached) > PHASES.indexOf(phase));
  const inLattice = runs.filter(({ reached }) => PHASES.indexOf(reached) >= PHASES.indexOf("lattice"));
  const functions = sum(({ artifacts }) => artifacts.functions.length);
  const blocked = runs.filter(({ events }) => eventsOf(events, "block").length > 0);
  const failures = sum(({ events }) => eventsOf(events, "block").length + eventsOf(events, "circuit_break").length);
  const delivered = runs.filter(({ program }) => program !== null);
  const kloc = sum(({ program }) => program?.lines ?? 0) / 1000;
  const complexity = runs.flatMap(({ program }) => program?.cyclomatic ?? []);
  const covered = runs.flatMap(({ coverage }) => coverage ?? []);
  const spent = delivered.flatMap(({ events }) => eventsOf(events, "model_call")).reduce((total, { data }) => total + data.usd, 0);
  return {
    compilationRate: ratio(after("lattice").length, inLattice.length),
    testPassRate: ratio(
      sum(({ artifacts }) => testCount(artifacts).passing),
      sum(({ artifacts }) => testCount(artifacts).total),
    ),
    securityVulnerabilities: after("injection").length === 0 ? null : sum(({ acceptedFindings }) => acceptedFindings),
    costPer1KLOC: ratio(spent, kloc),
    timePer1KLOC: ratio(
      delivered.reduce((total, { durationMs }) => total + durationMs, 0),
      kloc,
    ),
    escalationToStructurerModel: ratio(sum(escalatedTo("fallback1", "fallback2")), functions),
    escalationToArchitectModel: ratio(sum(escalatedTo("fallback2")), functions),
    mtbf: ratio(sum(({ durationMs }) => durationMs) / HOUR, failures),
    recoveryRate: ratio(blocked.filter(({ isLost }) => !isLost).length, blocked.length),
    humanInterventionRate: ratio(blocked.length, runs.length),
    avgCyclomaticComplexity: mean(complexity),
    testCoverage: mean(covered),
  };
}

const HOUR = 3_600_000;

/** By the tier of the last attempt: a function that reached the architect has passed the structurer. */
function escalatedTo(...tiers: readonly InjectionTier[]): (run: MeasuredRun) => number {
  return ({ artifacts }) => artifacts.functions.filter(({ tier }) => tier !== null && tiers.includes(tier)).length;
}

function ratio(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}

function mean(values: readonly number[]): number | null {
  return ratio(
    values.reduce((total, value) => total + value, 0),
    values.length,
  );
}

/** Accepted findings are recorded as decisions of the person who accepted them. */
export function acceptedFindings(decisions: readonly Pick<Decision, "category" | "constraint" | "status">[]): number {
  return decisions.filter(
    ({ category, constraint, status }) =>
      category === "security_review" && status === "active" && constraint.endsWith("Accept the findings"),
  ).length;
}
