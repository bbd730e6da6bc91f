import type { Ctx } from "@slipway/durable/ctx";

/** Of a shop: every file that was put off is written. */
export interface Settling {
  readonly settled: () => Promise<void>;
}

/**
 * The factory's steps look, judge, and keep records: nothing of it is seen outside before an agent is asked, a module is sealed, a
 * release is landed, a person is asked or the run ends, and each of these begins with a write that waits for the disk.
 */
export function unhurried(ctx: Ctx): Ctx {
  return {
    ...ctx,
    step: (name, body, options) => ctx.step(name, body, { unhurried: true, ...options }),
    child: (name, workflow, input) => ctx.child(name, workflow, input, { unhurried: true }),
  };
}

/** Nobody waits for a person, or for time to pass, with something left to do. */
export function settledBefore(ctx: Ctx, settled: () => Promise<void>): Ctx {
  const after =
    <A extends unknown[], R>(wait: (...given: A) => Promise<R>) =>
    async (...given: A): Promise<R> => {
      await settled();
      return wait(...given);
    };
  return { ...ctx, ask: after(ctx.ask) as Ctx["ask"], sleep: after(ctx.sleep) };
}

/** A run that has ended is not taken up again, and nobody would write what it had put off. */
export async function settledAtLast<T>({ settled }: Settling, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } finally {
    await settled();
  }
}
