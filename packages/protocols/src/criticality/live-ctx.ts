import type { Ctx } from "@slipway/durable/ctx";

/** Calls `work` every `ms` until it is stopped. */
export type Every = (ms: number, work: () => void) => { stop(): void };

const everyInterval: Every = (ms, work) => {
  const timer = setInterval(work, ms);
  timer.unref();
  return { stop: () => clearInterval(timer) };
};

export interface LiveParts {
  /** Whether a question has its answer already, so that the run does not wait for it. */
  readonly isAnswered: (name: string) => Promise<boolean>;
  /** Called once, when the replay has ended: before the first step that really runs, or the first question that really waits. */
  readonly onLive: () => Promise<void>;
  /** While a step is at work, `onBeat` is called in this interval. A run that waits for a person writes nothing. */
  readonly beatMs: number;
  readonly onBeat: () => Promise<void>;
  readonly every?: Every;
}

/** The same context, which notices where the replay of a resumed run ends and the run goes on. */
export function watchLive(ctx: Ctx, { isAnswered, onLive, beatMs, onBeat, every = everyInterval }: LiveParts): Ctx {
  let becoming: Promise<void> | null = null;
  const live = () => (becoming ??= onLive());
  let beating: Promise<void> = Promise.resolve();

  async function beatWhile<T>(work: () => Promise<T>): Promise<T> {
    const timer = every(beatMs, () => void (beating = beating.then(onBeat).catch(() => undefined)));
    try {
      return await work();
    } finally {
      timer.stop();
      await beating;
    }
  }

  return {
    ...ctx,
    step: (name, body, options) =>
      ctx.step(
        name,
        async (signal) => {
          await live();
          return beatWhile(() => body(signal));
        },
        options,
      ),
    async ask(name, question) {
      if (becoming === null && !(await isAnswered(name))) await live();
      return ctx.ask(name, question);
    },
  };
}
