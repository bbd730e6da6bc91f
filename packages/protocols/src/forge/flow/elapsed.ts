import type { Pipeline } from "../pipeline.ts";

/** Since Step 0, recorded so that a question shows the same on resume. */
export function elapsedMs({ run }: Pipeline, name: string): Promise<number> {
  return run.ctx.step(`elapsed:${name}`, async () => run.change.services.kernel.clock.now() - Date.parse(run.ref.run_id));
}
