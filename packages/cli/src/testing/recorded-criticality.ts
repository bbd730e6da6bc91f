import { workflow, type Ctx } from "@slipway/durable/ctx";
import { openEngine } from "@slipway/durable/engine";
import { systemClock } from "@slipway/durable/environment";
import { layoutAt } from "@slipway/kernel/host/layout";
import { openRecords } from "@slipway/kernel/open-records";
import type { DecisionDraft } from "@slipway/kernel/record/decisions/decision";
import { openDecisions } from "@slipway/kernel/record/decisions/decisions";
import type { Records } from "@slipway/kernel/record/storage";
import { migrateProtocols } from "@slipway/protocols/all-protocols";
import type { CriticalityState, PhaseState } from "@slipway/protocols/criticality/machine/states";
import type { RunArtifacts } from "@slipway/protocols/criticality/run-artifacts";
import { writeCheckpoint } from "@slipway/protocols/criticality/store";
import type { TelemetryEvent } from "@slipway/protocols/criticality/telemetry/events";
import type { Project } from "./project.ts";

export interface RecordedStep {
  readonly name: string;
  readonly value: unknown;
}

export interface RecordedRun {
  readonly id: string;
  readonly state: CriticalityState;
  readonly artifacts?: Partial<RunArtifacts>;
  readonly steps?: readonly RecordedStep[];
  readonly decisions?: readonly DecisionDraft[];
  /** Files of the program, if it was delivered. */
  readonly program?: Readonly<Record<string, string>>;
}

export const BEGAN = Date.parse("2026-11-18T10:00:00.000Z");
export const after = (seconds: number) => new Date(BEGAN + seconds * 1000).toISOString();

/** Step `state:N`: the run came to this place, with these events on the way. */
export function checkpoint(number: number, at: string, seconds: number, ...events: readonly TelemetryEvent[]): RecordedStep {
  return { name: `state:${number}`, value: { now: after(seconds), at, text: null, good: null, events } };
}

export function moved(from: string, to: string, seconds: number): TelemetryEvent {
  return { timestamp: after(seconds), event: "phase_transition", data: { from, to } };
}

export function called(model: string, phase: string, usd: number, seconds: number): TelemetryEvent {
  const data = { model, role: "worker_model", phase, tokensIn: 1000, tokensOut: 100, durationMs: 500, usd };
  return { timestamp: after(seconds), event: "model_call", data };
}

export function activeState(phase: PhaseState): CriticalityState {
  return { type: "active", data: { phase, startedAt: after(0), checkpointedAt: after(0) } };
}

export const COMPLETED: CriticalityState = {
  type: "completed",
  data: {
    finalArtifacts: { optimizedCode: "src", testSuite: "tests", coverageReport: "coverage" },
    completedAt: after(100),
    summary: { cost: 0, durationMs: 0, escalations: 0, unmetTargets: [] },
  },
};

/** Writes a run into the records with the real journal and the real rows, without its phases. */
export async function recordRun(project: Project, run: RecordedRun): Promise<void> {
  const clock = { ...systemClock, now: () => BEGAN };
  const records = await openRecords({ layout: layoutAt(project.root), clock });
  try {
    await migrateProtocols(records.database);
    await journal(records, run);
    const call = { actor: { type: "orchestrator", id: "test" }, operationId: `${run.id}/row` } as const;
    const { state, artifacts = {} } = run;
    await writeCheckpoint(records.door, call, {
      run_id: run.id,
      project: run.id,
      at: state.type,
      state: JSON.stringify(state),
      telemetry: "{}",
      artifacts: JSON.stringify(artifacts),
    });
    const decisions = openDecisions({ db: records.database.db, door: records.door });
    if (run.decisions !== undefined)
      await decisions.appendAll({ ...call, operationId: `${run.id}/decisions` }, `run:${run.id}`, run.decisions);
  } finally {
    await records.close();
  }
}

async function journal(records: Records, { id, steps = [], program }: RecordedRun): Promise<void> {
  const { database, objects, clock, ids, inbox } = records;
  const body = async (ctx: Ctx) => {
    await ctx.step("state:0", async () => undefined);
    for (const { name, value } of steps) await ctx.step(name, async () => value);
    if (program !== undefined)
      await ctx.step("program", async () => ({
        files_digest: await objects.put(Buffer.from(JSON.stringify(program))),
        tests_digest: null,
      }));
    return null;
  };
  const workflows = [workflow<unknown, unknown, null>("criticality", "1", body)];
  const engine = await openEngine({ sqlite: database.sqlite, blobs: objects, clock, ids, inbox, workflows, kernel: null });
  await engine.start("criticality", {}, { runId: id });
  await engine.drive(id);
  await engine.close();
}
