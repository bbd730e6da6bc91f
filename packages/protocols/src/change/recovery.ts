import { SlipwayError } from "@slipway/agents/errors";
import { checkSchema } from "@slipway/kernel/schema/violations";
import { indexSchema, type FeatureIndex } from "@slipway/kernel/change/views/feature-index/index-value";
import { stateSchema } from "@slipway/kernel/change/feature/state";
import type { Kernel } from "@slipway/kernel/kernel";
import { heldLocks } from "@slipway/kernel/change/turn/locks/store";
import { unfinishedOperations } from "@slipway/kernel/record/operations/ledger";
import type { z } from "zod";

/** What recovery found before a run resumes. The journal itself returns each feature to its first unfinished step. */
export interface Recovered {
  /** Features whose projected files were missing or stale and were written again. */
  readonly repaired: readonly string[];
  /** Locks with an expired lease. The features that held them are blocked until they acquire them again. */
  readonly reclaimed: readonly { readonly resource: string; readonly former_holder: string }[];
  readonly pending: {
    readonly features: readonly string[];
    readonly queued: readonly string[];
    /** Interrupted operations; each is completed or repeated when its step runs again. */
    readonly cut_off: readonly { readonly operation: string; readonly operation_id: string }[];
    readonly untested: readonly { readonly feature_id: string; readonly open_entries: number }[];
  };
}

/**
 * Runs before a run resumes in a new process: validates the records, reclaims stale leases and counts the open work. `resumed`
 * names the features of the run: locks they held that are still free stay reserved for them.
 */
export async function recover(kernel: Kernel, operationId: string, resumed: readonly string[]): Promise<Recovered> {
  const { features, records, clock } = kernel;
  const index = (await features.index()) ?? NOTHING;
  assertValid(indexSchema, index, "index");
  const open = [...index.active, ...index.blocked].toSorted();
  for (const id of open) assertValid(stateSchema, (await features.getState(id)).state, `state of "${id}"`);
  const repaired = await features.repairProjections();

  const stale = (await heldLocks(records.database.db)).filter(({ expiresAt }) => expiresAt <= clock.now());
  const call = { actor: { type: "system", id: "recovery" } as const, operationId };
  const reclaimed = stale.length > 0 ? await features.reclaimStale(call, resumed) : [];
  // Release the budget reservations of agent calls whose process has died.
  await kernel.budget.cutOff(call.actor);

  const untested = await Promise.all(open.map(async (id) => ({ feature_id: id, open_entries: await openEntries(kernel, id) })));
  return {
    repaired,
    reclaimed: reclaimed.map(({ resource, former_holder }) => ({ resource, former_holder })),
    pending: {
      features: open,
      queued: index.blocked_queue.map(({ feature_id }) => feature_id),
      cut_off: (await unfinishedOperations(records.database.db)).map(({ name, id }) => ({ operation: name, operation_id: id })),
      untested: untested.filter(({ open_entries }) => open_entries > 0),
    },
  };
}

const NOTHING: FeatureIndex = { version: 0, active: [], blocked: [], merged: [], locks: {}, lock_leases: {}, blocked_queue: [] };

function assertValid(schema: z.ZodType, value: unknown, what: string): void {
  const checked = checkSchema(schema, value);
  if (checked.ok) return;
  throw new SlipwayError("schema_validation_failed", `The stored ${what} is not valid; nothing was resumed.`, {
    violations: checked.violations,
    suggested_next_actions: ["Run `slipway journal verify` to see what was changed."],
  });
}

async function openEntries({ features }: Kernel, id: string): Promise<number> {
  const { pending } = await features.qaIndex(id);
  return pending.reduce((sum, { hunks }) => sum + hunks.length, 0);
}
