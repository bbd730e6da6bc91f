import { countIndex } from "../views/feature-index/store.ts";
import { Refusal, type Operation } from "../../record/operations/operation.ts";
import { reevaluate } from "../turn/queue/reevaluate.ts";
import type { FeatureDependencies } from "./dependencies.ts";

export interface QueueAndIndexWrapper<I, E, O> {
  readonly operation: Operation<I, E, O>;
  /** Other features whose projections must be written. */
  readonly touched: ReadonlySet<string>;
  /** Whether the call failed with a `Refusal`, which keeps its writes. */
  readonly changedDespiteError: () => boolean;
}

/** Adds the last part of every change of features, in the same transaction: reconsider the queue and update the index. */
export function withQueueAndIndex<I, E, O>(
  dependencies: FeatureDependencies,
  operation: Operation<I, E, O>,
): QueueAndIndexWrapper<I, E, O> {
  const touched = new Set<string>();
  let refused = false;
  return {
    touched,
    changedDespiteError: () => refused,
    operation: {
      ...operation,
      async commit(tx, input, effect, given) {
        const call = { ...given, touched: (id: string) => void touched.add(id) };
        const output = await operation.commit(tx, input, effect, call);
        await reevaluate(tx, dependencies, call);
        await countIndex(tx, dependencies.configuration, call.at);
        refused = output instanceof Refusal;
        return output;
      },
    },
  };
}
