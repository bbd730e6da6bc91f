import { SlipwayError } from "@slipway/agents/errors";
import { z } from "zod";
import type { Db, Tx } from "@slipway/kernel/record/database/tables";
import type { Operation } from "@slipway/kernel/record/operations/operation";
import { embeddingText, INDEX_TRANSITIONS, moduleRef, newEntry, refOf, splitRef, type NewEntry } from "./entry.ts";
import { embedOne, type EmbeddingModel } from "@slipway/agents/embeddings/model";
import { addGeneration, currentGeneration, findEntry, insertEntry, type Generation } from "./store.ts";

/** Called by the ship step once per module version. */
export function appendOperation(model: EmbeddingModel): Operation<NewEntry, Float32Array, { module_ref: string; position: number }> {
  return {
    name: "code_index.append",
    roles: ["orchestrator", "system"],
    input: newEntry,
    unclaimed: true,
    effect: (entry) => embedOne(model, embeddingText(entry)),
    async commit(tx, entry, vector, { at }) {
      const { generation } = (await currentGeneration(tx)) ?? (await addGeneration(tx, model, at));
      await assertSameModel(tx, model);
      return { module_ref: refOf(entry), position: await insertEntry(tx, entry, vector, generation, at) };
    },
    event: (_entry, output) => output,
  };
}

export const retireInput = z.strictObject({
  module_ref: moduleRef,
  status: z.enum(["DEPRECATED", "SUPERSEDED"]),
  superseded_by: moduleRef.nullable(),
  /** Appended to the entry's notes. */
  note: z.string().trim().min(1),
});
export type RetireInput = z.output<typeof retireInput>;

/** The only change of an entry. `SUPERSEDED` needs a shipped successor; `DEPRECATED` may have one. */
export const retireOperation: Operation<RetireInput, undefined, { module_ref: string; status: string }> = {
  name: "code_index.retire",
  roles: ["orchestrator", "system", "person"],
  input: retireInput,
  async commit(tx, { module_ref, status, superseded_by, note }, _effect, { at }) {
    const { position, entry } = await existing(tx, module_ref);
    if (!INDEX_TRANSITIONS[entry.status].includes(status)) throw noWayBack(module_ref, entry.status, status);
    if (superseded_by === null && status === "SUPERSEDED") throw withoutSuccessor(module_ref);
    if (superseded_by !== null) await assertSuccessor(tx, module_ref, superseded_by);
    await tx.insertInto("code_index_retirements").values({ position, status, superseded_by, note, at }).execute();
    return { module_ref, status };
  },
  event: ({ superseded_by, note }, output) => ({ ...output, superseded_by, note }),
};

async function existing(tx: Tx, ref: string) {
  const { module_id, version } = splitRef(ref);
  const found = await findEntry(tx, module_id, version);
  if (found !== undefined) return found;
  throw new SlipwayError("policy_violation", `${ref} is not in the code index.`, {
    module_ref: ref,
    rule: "unknown_module",
    suggested_next_actions: ["Look it up with `slipway factory index search`."],
  });
}

async function assertSuccessor(tx: Tx, ref: string, successor: string): Promise<void> {
  if (successor === ref) throw refusedSuccessor(ref, successor, "nothing can succeed itself");
  const { entry } = await existing(tx, successor);
  if (entry.status !== "SHIPPED") throw refusedSuccessor(ref, successor, `its status is ${entry.status}`);
}

function refusedSuccessor(ref: string, successor: string, reason: string): SlipwayError {
  return new SlipwayError("policy_violation", `${successor} cannot succeed ${ref}: ${reason}.`, {
    module_ref: ref,
    superseded_by: successor,
    rule: "successor",
    suggested_next_actions: ["Name a module version whose status in the code index is SHIPPED."],
  });
}

function withoutSuccessor(ref: string): SlipwayError {
  return new SlipwayError("policy_violation", `${ref} cannot be SUPERSEDED without a successor.`, {
    module_ref: ref,
    rule: "successor",
    suggested_next_actions: ["Name the successor in superseded_by, or deprecate the module."],
  });
}

function noWayBack(ref: string, from: string, to: string): SlipwayError {
  return new SlipwayError("invalid_status_transition", `${ref} is ${from} in the code index and cannot become ${to}.`, {
    module_ref: ref,
    from,
    to,
    suggested_next_actions: ["No action is possible: a retired entry of the code index stays retired."],
  });
}

/** Vectors of two models cannot be compared: an index with another model's vectors must be reindexed first. */
export async function assertSameModel(db: Db | Tx, model: EmbeddingModel): Promise<Generation | undefined> {
  const current = await currentGeneration(db);
  if (current === undefined || (current.model === model.id && current.dimensions === model.dimensions)) return current;
  throw new SlipwayError(
    "config_invalid",
    `The code index was embedded with "${current.model}" (${current.dimensions} dimensions); "${model.id}" (${model.dimensions}) is configured.`,
    {
      embedded_with: current.model,
      configured: model.id,
      suggested_next_actions: ["Run `slipway factory index reindex`, or configure the earlier model again."],
    },
  );
}
