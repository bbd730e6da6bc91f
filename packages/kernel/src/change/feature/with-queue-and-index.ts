import { countIndex } from "../views/feature-index/store.ts";
import { Refusal, type Operation } from "../../record/operations/operation.ts";
import { reevaluate } from "../turn/queue/reevaluate.ts";
import type { Rooms } from "./dependencies.ts";

export interface Closing<I, E, O> {
  readonly operation: Operation<I, E, O>;
  /** Whose files have to be written anew, besides the feature's own. */
  readonly touched: ReadonlySet<string>;
  /** The call failed, and yet something was changed. */
  readonly kept: () => boolean;
}

/** What every change of features ends with, in its own transaction: who waits gets a turn, and the index counts what has changed. */
export function closing<I, E, O>(rooms: Rooms, operation: Operation<I, E, O>): Closing<I, E, O> {
  const touched = new Set<string>();
  let kept = false;
  return {
    touched,
    kept: () => kept,
    operation: {
      ...operation,
      async commit(tx, input, effect, given) {
        const call = { ...given, touched: (id: string) => void touched.add(id) };
        const output = await operation.commit(tx, input, effect, call);
        await reevaluate(tx, rooms, call);
        await countIndex(tx, rooms.configuration, call.at);
        kept = output instanceof Refusal;
        return output;
      },
    },
  };
}
