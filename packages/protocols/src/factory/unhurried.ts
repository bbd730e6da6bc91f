import type { Ctx } from "@slipway/durable/ctx";

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
