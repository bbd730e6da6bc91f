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

/** A run that has ended is not taken up again, and nobody would write what it had put off. */
export async function settledAtLast<T>({ settled }: Settling, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } finally {
    await settled();
  }
}
