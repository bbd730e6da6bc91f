import { inWords } from "@slipway/kernel/budget/amounts";
import { oneLine } from "../../narration/one-line.ts";
import type { RunCommand } from "../../surface/command.ts";
import { jsonLine } from "../../surface/escape.ts";
import { EXIT } from "../../surface/exit-codes.ts";
import { paint } from "../../surface/paint.ts";
import type { Reader } from "../../surface/surface.ts";
import { PHASE_TITLES } from "../machine/states.ts";
import { PHASES, type CriticalityPhase } from "../routing/roles.ts";
import { projectCost, type CostProjection, type PhaseCosts } from "../telemetry/projection.ts";
import { telemetryOf, type CriticalityTelemetry, type ModelUsage, type RunProgress } from "../telemetry/telemetry.ts";
import { phaseOf } from "../view.ts";
import { readRecord } from "./run-record.ts";
import { testCount } from "./run-status.ts";
import { openRun, withRun, WORKFLOW, type ReadRun } from "./with-run.ts";

/** Tokens and cost by model and phase, and a projection to the end. */
export const run: RunCommand = (args, io) =>
  withRun(args, io, async (opened, reader) => {
    const { telemetry, projection } = await runTelemetry(opened, reader);
    io.out(args.flag("json") ? jsonLine({ ...telemetry, projection }) : `${lines(telemetry, projection, io.color).join("\n")}\n`);
    return EXIT.done;
  });

export interface RunTelemetryReport {
  readonly telemetry: CriticalityTelemetry;
  readonly projection: CostProjection;
}

export async function runTelemetry(opened: ReadRun, reader: Reader): Promise<RunTelemetryReport> {
  const { info, project } = opened;
  const { events } = await readRecord(reader, info.runId);
  const progress = progressOf(opened);
  const startedAt = new Date(info.createdAt).toISOString();
  return {
    telemetry: telemetryOf({ runId: info.runId, projectName: project, startedAt }, events, progress),
    projection: projectCost(events, progress, await earlierCosts(reader, info.runId)),
  };
}

/** A completed run is at its last phase. */
function progressOf({ state, artifacts }: ReadRun): RunProgress {
  const { total, passing } = testCount(artifacts);
  return {
    phase: phaseOf(state) ?? "massDefect",
    functionsTotal: artifacts.functions.length,
    functionsComplete: artifacts.functions.filter(({ status }) => status === "accepted").length,
    testsTotal: total,
    testsPassing: passing,
  };
}

const MOST_EARLIER = 10;

/** USD by phase of the last completed runs of this repository. */
async function earlierCosts(reader: Reader, runId: string): Promise<PhaseCosts[]> {
  const others = await reader.engine.runs({ rootsOnly: true, workflow: WORKFLOW, limit: MOST_EARLIER + 1 });
  const costs: PhaseCosts[] = [];
  for (const info of others) {
    if (info.runId === runId || (await openRun(reader, info)).state.type !== "completed") continue;
    const { byPhase } = projectCost((await readRecord(reader, info.runId)).events, NO_PROGRESS);
    costs.push(Object.fromEntries(PHASES.map((phase) => [phase, byPhase[phase]?.usd ?? 0])));
  }
  return costs;
}

const NO_PROGRESS: RunProgress = { phase: "massDefect", functionsTotal: 0, functionsComplete: 0, testsTotal: 0, testsPassing: 0 };

function lines(
  { runId, cost, duration, quality, completedAt }: CriticalityTelemetry,
  projection: CostProjection,
  color: boolean,
): string[] {
  const { bold, dim } = paint(color);
  const { byModel, byPhase, expectedUSD, suggestions } = projection;
  const total = { tokensIn: cost.totalTokensIn, tokensOut: cost.totalTokensOut, usd: cost.totalUSD };
  const part = (heading: string, rows: Readonly<Record<string, ModelUsage>>, name: (key: string) => string) =>
    Object.keys(rows).length === 0
      ? []
      : [dim(heading), ...Object.entries(rows).map(([key, usage]) => `  ${name(key)}: ${usageText(usage)}`)];
  return [
    bold(`run ${runId}: ${usageText(total)}, ${inWords("duration_ms", duration.totalMs)}`),
    ...part("by model", byModel, oneLine),
    ...part("by phase", byPhase, phaseTitle),
    dim("time by phase"),
    ...Object.entries(duration.byPhase).map(([phase, ms]) => `  ${phaseTitle(phase)}: ${inWords("duration_ms", ms ?? 0)}`),
    `escalation rate ${percent(quality.escalationRate)}, circuit breaks ${quality.circuitBreakerTriggers}, human interventions ${quality.humanInterventions}`,
    ...(completedAt === null ? [projectionText(expectedUSD)] : []),
    ...suggestions.map((suggestion) => `suggestion: ${suggestion}`),
  ];
}

function phaseTitle(phase: string): string {
  return PHASE_TITLES[phase as CriticalityPhase] ?? phase;
}

function projectionText(expected: number | null): string {
  return expected === null
    ? "projection: unknown; it needs a completed run in this repository and one written function"
    : `projection: ${inWords("cost_usd", expected)} in all`;
}

function usageText({ tokensIn, tokensOut, usd }: ModelUsage): string {
  return `${inWords("cost_usd", usd)}, ${tokensIn.toLocaleString("en-US")} tokens in, ${tokensOut.toLocaleString("en-US")} out`;
}

function percent(rate: number): string {
  return `${Math.round(rate * 100)} %`;
}
