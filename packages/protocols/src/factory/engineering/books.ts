import { setImmediate as turn } from "node:timers/promises";
import type { Ctx } from "@slipway/durable/ctx";

/** Record-keeping that nothing further depends on, and that need not hold up the work: it is done while something else takes long. */
export interface Books {
  /** In the order given. Only steps: what a crash leaves undone is due again when the run is replayed. */
  readonly later: (work: () => Promise<unknown>) => void;
  /** Something that takes long, with everything that is due beside it, and then with `meanwhile`. */
  readonly beside: <T, M = null>(long: () => Promise<T>, meanwhile?: () => Promise<M>) => Promise<[T, M]>;
  readonly catchUp: () => Promise<void>;
}

export function openBooks(ctx: Pick<Ctx, "all">): Books {
  const due: (() => Promise<unknown>)[] = [];

  async function catchUp(between: () => Promise<unknown> = async () => undefined): Promise<void> {
    for (let work = due.shift(); work !== undefined; work = due.shift()) {
      await between();
      await work();
    }
  }

  return {
    later: (work) => void due.push(work),
    async beside<T, M>(long: () => Promise<T>, meanwhile: () => Promise<M> = async () => null as M) {
      const record = async () => {
        // What takes long goes first, whenever it has something to do: a record is made without ever letting go of the event loop.
        await turn();
        await catchUp(turn);
        const made = await meanwhile();
        await catchUp(turn);
        return made;
      };
      return (await ctx.all<T | M>([long, record])) as [T, M];
    },
    catchUp: () => catchUp(),
  };
}
