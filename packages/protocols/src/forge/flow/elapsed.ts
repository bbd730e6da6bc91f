import type { ForgeProgress } from "../progress.ts";

/** Since Step 0, recorded so that a question shows the same on resume. */
export function elapsedMs({ run }: ForgeProgress, name: string): Promise<number> {
  return run.ctx.step(`elapsed:${name}`, async () => run.change.services.kernel.clock.now() - Date.parse(run.ref.run_id));
}
