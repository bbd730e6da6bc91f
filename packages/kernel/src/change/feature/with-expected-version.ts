import { SlipwayError } from "../../schema/errors.ts";
import { z } from "zod";
import type { Db, Tx } from "../../record/database/tables.ts";
import type { Operation } from "../../record/operations/operation.ts";
import type { FeatureDependencies } from "./dependencies.ts";
import { findFeature } from "./store.ts";

interface Versioned<I> {
  readonly arguments: I;
  readonly expected_version: number;
}

/** Adds an optimistic lock to an operation: the feature's version is checked before the effect and in the transaction. */
export function withExpectedVersion<I extends { feature_id: string }, E, O>(
  { db }: FeatureDependencies,
  operation: Operation<I, E, O>,
): Operation<Versioned<I>, E, O> {
  const { effect, event } = operation;
  return {
    name: operation.name,
    roles: operation.roles,
    input: z.strictObject({ arguments: operation.input, expected_version: z.int() }),
    ...(effect !== undefined && {
      effect: async (input: Versioned<I>, call) => {
        // After a crash the effect may already have happened; the check in the transaction decides.
        if (!call.redriven) await assertVersion(db, input);
        return effect(input.arguments, call);
      },
    }),
    commit: async (tx, input, done, call) => {
      await assertVersion(tx, input);
      return operation.commit(tx, input.arguments, done, call);
    },
    ...(event !== undefined && { event: (input: Versioned<I>, output: O) => event(input.arguments, output) }),
  };
}

async function assertVersion(
  db: Db | Tx,
  { arguments: { feature_id }, expected_version }: Versioned<{ feature_id: string }>,
): Promise<void> {
  const { version } = await findFeature(db, feature_id);
  if (version === expected_version) return;
  throw new SlipwayError(
    "version_conflict",
    `The state of "${feature_id}" has version ${version}, not ${expected_version}. Nothing was changed.`,
    {
      feature_id,
      expected_version,
      actual_version: version,
      suggested_next_actions: ["Read the feature again with feature.state_get and repeat the call with a new operation id."],
    },
  );
}
