import type { Ctx } from "@slipway/durable/ctx";

/** Calls `work` every `ms` until it is stopped. */
export type Every = (ms: number, work: () => void) => { stop(): void };

const everyInterval: Every = (ms, work) => {
  const timer = setInterval(work, ms);
  timer.unref();
  return { stop: () => clearInterval(timer) };
};

/** The same context; while a step is at work, `beat` is called in the interval. A run that waits for a person writes nothing. */
export function withInterval(ctx: Ctx, ms: number, beat: () => Promise<void>, every: Every = everyInterval): Ctx {
  let beating: Promise<void> = Promise.resolve();
  return {
    ...ctx,
    step: (name, body, options) =>
      ctx.step(
        name,
        async (signal) => {
          const timer = every(ms, () => void (beating = beating.then(beat).catch(() => undefined)));
          try {
            return await body(signal);
          } finally {
            timer.stop();
            await beating;
          }
        },
        options,
      ),
  };
}
