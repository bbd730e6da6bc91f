import type { Call } from "@slipway/kernel/record/operations/call";
import type { Door } from "@slipway/kernel/record/operations/door";
import type { Operation } from "@slipway/kernel/record/operations/operation";
import type { Db } from "@slipway/kernel/record/database/tables";
import { SlipwayError } from "@slipway/agents/errors";
import { z } from "zod";
import type { LedgerStore } from "./ledger-store.ts";
import { emptyYamlLedger } from "./yaml-document.ts";
import { saveYamlLedger } from "./yaml-store.ts";

const runInput = z.strictObject({
  run_key: z.string().min(1),
  run_id: z.string().min(1),
  feature_id: z.string().min(1),
  /** JSON */
  state: z.string(),
  ledger: z.enum(["sqlite", "yaml"]),
});

export type ForgeRunInput = z.infer<typeof runInput>;

const saveRun: Operation<ForgeRunInput, undefined, null> = {
  name: "forge.save_run",
  roles: ["orchestrator", "system"],
  input: runInput,
  async commit(tx, { run_key, run_id, feature_id, state, ledger }, _effect, { at: updated_at }) {
    const known = await tx.selectFrom("forge_runs").selectAll().where("run_key", "=", run_key).executeTakeFirst();
    if (known === undefined) {
      const yaml_ledger = ledger === "yaml" ? emptyYamlLedger(run_id) : null;
      await tx.insertInto("forge_runs").values({ run_key, run_id, feature_id, state, yaml_ledger, updated_at }).execute();
      if (yaml_ledger !== null) await saveYamlLedger(tx, { run_id, yaml_ledger });
      return null;
    }
    if (known.run_id !== run_id || kindOf(known) !== ledger) throw changedRun(known.run_id, run_id);
    await tx.updateTable("forge_runs").set({ feature_id, state, updated_at }).where("run_key", "=", run_key).execute();
    return null;
  },
  event: ({ run_key, run_id, feature_id }) => ({ run_key, run_id, feature_id }),
};

function kindOf({ yaml_ledger }: { readonly yaml_ledger: string | null }): LedgerStore["kind"] {
  return yaml_ledger === null ? "sqlite" : "yaml";
}

function changedRun(known: string, given: string): SlipwayError {
  return new SlipwayError(
    "policy_violation",
    `run_id: this run is recorded as ${known} with its ledger; it cannot become ${given} or move to another ledger.`,
    { field: "run_id", suggested_next_actions: ["Resume the run with the run_id and the ledger it began with."] },
  );
}

/** Records where a run is. Its run_id and its kind of ledger are fixed by the first call. */
export function saveForgeRun(door: Pick<Door, "perform">, { actor, operationId }: Call, input: ForgeRunInput): Promise<null> {
  return door.perform(saveRun, actor, operationId, input);
}

/** Whether another run has the run_id: two can start in the same second. */
export async function isRunIdTaken(db: Db, runId: string, runKey: string): Promise<boolean> {
  const other = db.selectFrom("forge_runs").select("run_id").where("run_id", "=", runId).where("run_key", "!=", runKey);
  return (await other.executeTakeFirst()) !== undefined;
}

export interface ForgeRunRow {
  readonly run_key: string;
  readonly run_id: string;
  readonly feature_id: string;
  readonly state: string;
  readonly ledger: LedgerStore["kind"];
  readonly updated_at: number;
}

/** A run by the id of its durable run; without an id, the newest. */
export async function readForgeRun(db: Db, runKey: string | null): Promise<ForgeRunRow | null> {
  const all = db.selectFrom("forge_runs").selectAll();
  const wanted = runKey === null ? all.orderBy("updated_at", "desc").orderBy("run_id", "desc").limit(1) : all.where("run_key", "=", runKey);
  const row = await wanted.executeTakeFirst();
  if (row === undefined) return null;
  const { yaml_ledger: _ledger, ...run } = row;
  return { ...run, ledger: kindOf(row) };
}
