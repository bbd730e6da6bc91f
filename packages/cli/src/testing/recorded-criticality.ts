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
import { z } from "zod";
import type { Project } from "./project.ts";

/** One moment of a run: a checkpoint, or a call of a model. */
export interface RecordedStep {
  readonly name: string;
  readonly value: unknown;
}

export interface RecordedCall {
  readonly step: string;
  readonly role: string;
  readonly model: string | null;
  readonly usd: number;
  /** Seconds after the run began. */
  readonly at: number;
}

export interface RecordedRun {
  readonly id: string;
  readonly state: CriticalityState;
  readonly artifacts?: Partial<RunArtifacts>;
  readonly steps?: readonly RecordedStep[];
  readonly calls?: readonly RecordedCall[];
  readonly decisions?: readonly DecisionDraft[];
  /** Files of the program, if it was delivered. */
  readonly program?: Readonly<Record<string, string>>;
  /** Options of a block that the run asks about, and waits for. */
  readonly block?: { readonly category: string; readonly phase: string };
}

export const BEGAN = Date.parse("2026-11-18T10:00:00.000Z");
export const after = (seconds: number) => new Date(BEGAN + seconds * 1000).toISOString();

/** Step `state:N`: the run was at this place. */
export function checkpoint(number: number, at: string, seconds: number): RecordedStep {
  return { name: `state:${number}`, value: { now: after(seconds), at, text: null, good: null } };
}

export function activeState(phase: PhaseState): CriticalityState {
  return { type: "active", data: { phase, startedAt: after(0), checkpointedAt: after(0) } };
}

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
    await writeCalls(records, run);
    const decisions = openDecisions({ db: records.database.db, door: records.door });
    if (run.decisions !== undefined)
      await decisions.appendAll({ ...call, operationId: `${run.id}/decisions` }, `run:${run.id}`, run.decisions);
  } finally {
    await records.close();
  }
}

async function journal(records: Records, { id, steps = [], program, block }: RecordedRun): Promise<void> {
  const { database, objects, clock, ids, inbox } = records;
  const body = async (ctx: Ctx) => {
    for (const { name, value } of steps) await ctx.step(name, async () => value);
    if (program !== undefined) await ctx.step("program", () => objects.put(Buffer.from(JSON.stringify(program))));
    if (block === undefined) return null;
    const options = [{ value: "retry", label: "again" }];
    const schema = z.strictObject({ decision: z.enum(["retry"]) });
    const question = { kind: "criticality_block", title: "It is blocked", body: "why", options, schema, answerableBy: ["person"] as const };
    return ctx.ask("block:1", { ...question, context: { ...block } });
  };
  const workflows = [workflow<unknown, unknown, null>("criticality", "1", body)];
  const engine = await openEngine({ sqlite: database.sqlite, blobs: objects, clock, ids, inbox, workflows, kernel: null });
  await engine.start("criticality", {}, { runId: id });
  await engine.drive(id, { whenWaiting: "return" });
  await engine.close();
}

async function writeCalls({ database: { db } }: Records, { id, calls = [] }: RecordedRun): Promise<void> {
  for (const { step, role, model, usd, at } of calls) {
    const usage = { input_tokens: 1000, output_tokens: 100, cost_usd: usd, duration_ms: 500, calls: 1, transcript_digest: null };
    const row = { id: `${id}/${step}`, run_id: id, feature_id: null, role: `criticality/${role}`, provider: "replay", model };
    await db
      .insertInto("telemetry")
      .values({ ...row, ...usage, at: BEGAN + at * 1000 })
      .execute();
  }
}
