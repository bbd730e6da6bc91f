import type { ForgeProgress } from "../progress.ts";
import { dispatchStep } from "../dispatch-step.ts";
import { requiredPayload } from "../dispatch/run-documents.ts";
import { SPEC_FILE } from "../files.ts";
import { askPushback } from "./ask-pushback.ts";

const MAX_CHANGES = 5;

/** Step 2. False if a person abandoned the run. */
export async function specify(progress: ForgeProgress): Promise<boolean> {
  const { run } = progress;
  let wishes: string | null = null;
  for (let round = 1; round <= MAX_CHANGES; round++) {
    await dispatchStep(progress, {
      step: "2",
      dispatches: [{ role: "spec", step: "2", instance: round === 1 ? "spec" : `spec-${round}`, wishes }],
      input: async (agents) => ({ input: "spec", agents }),
      words: "the specification",
    });
    const { pushback } = await run.ctx.step(`pushback:${round}`, () => requiredPayload(run, "spec", SPEC_FILE));
    const concerns = pushback.map(({ severity, concern }) => ({ severity, text: concern }));
    const result = await askPushback(progress, `2-${round}`, concerns);
    if (result.choice !== "modify") return result.choice === "proceed";
    wishes = result.wish;
  }
  return true;
}
