import type { Telemetry } from "@slipway/kernel/budget/telemetry";
import type { Door } from "@slipway/kernel/record/operations/door";
import type { Operation } from "@slipway/kernel/record/operations/operation";
import type { Call } from "@slipway/kernel/record/operations/call";
import type { Db } from "@slipway/kernel/record/database/tables";
import { z } from "zod";

const checkpointInput = z.strictObject({
  run_id: z.string(),
  project: z.string(),
  /** `phase.subState`, for the journal. */
  at: z.string(),
  state: z.string(),
  telemetry: z.string(),
  /** Null if they are as they were. */
  artifacts: z.string().nullable(),
});

export type Checkpoint = z.output<typeof checkpointInput>;

const checkpoint: Operation<Checkpoint, undefined, null> = {
  name: "criticality.checkpoint",
  roles: ["orchestrator", "system"],
  input: checkpointInput,
  commit: async (tx, { run_id, project, state, telemetry, artifacts }, _effect, { at: updated_at }) => {
    const changed = { state, telemetry, updated_at, ...(artifacts === null ? {} : { artifacts }) };
    await tx
      .insertInto("criticality_runs")
      .values({ run_id, project, artifacts: "{}", ...changed })
      .onConflict((conflict) => conflict.column("run_id").doUpdateSet(changed))
      .execute();
    return null;
  },
  event: ({ run_id, at }) => ({ run_id, at }),
};

/** Records where a run is. Relaxed: a lost row is written again by the next transition. */
export function writeCheckpoint(
  door: { readonly relaxed: Pick<Door, "perform"> },
  { actor, operationId }: Call,
  input: Checkpoint,
): Promise<null> {
  return door.relaxed.perform(checkpoint, actor, operationId, input);
}

export interface CriticalityRow {
  readonly run_id: string;
  readonly project: string;
  readonly state: string;
  readonly telemetry: string;
  readonly artifacts: string;
  readonly updated_at: number;
}

/** The row of a run, or of the newest run. */
export async function readRun(db: Db, runId: string | null): Promise<CriticalityRow | null> {
  const all = db.selectFrom("criticality_runs").selectAll();
  const wanted = runId === null ? all.orderBy("updated_at", "desc").limit(1) : all.where("run_id", "=", runId);
  return (await wanted.executeTakeFirst()) ?? null;
}

export type InvocationRow = Telemetry;

/** The cost and transcripts of these invocations, in no order. */
export async function readInvocations(db: Db, ids: readonly string[]): Promise<InvocationRow[]> {
  return ids.length === 0 ? [] : db.selectFrom("telemetry").selectAll().where("id", "in", ids).execute();
}

/** Whether the run need not wait for this question any more. */
export async function isQuestionAnswered(db: Db, id: string): Promise<boolean> {
  const row = await db.selectFrom("questions").select("status").where("id", "=", id).executeTakeFirst();
  return row !== undefined && row.status !== "open";
}
