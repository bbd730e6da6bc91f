import type { Pipeline } from "../pipeline.ts";
import { dispatchStep } from "../dispatch-step.ts";
import { requiredPayload } from "../dispatch/run-documents.ts";
import { SPEC_FILE } from "../files.ts";
import { askPushback } from "./ask-pushback.ts";

const MAX_CHANGES = 5;

/** Step 2. False if a person abandoned the run. */
export async function specify(pipeline: Pipeline): Promise<boolean> {
  const { run } = pipeline;
  let wishes: string | null = null;
  for (let round = 1; round <= MAX_CHANGES; round++) {
    await dispatchStep(pipeline, {
      step: "2",
      dispatches: [{ role: "spec", step: "2", instance: round === 1 ? "spec" : `spec-${round}`, wishes }],
      input: async (agents) => ({ input: "spec", agents }),
      words: "the specification",
    });
    const { pushback } = await run.ctx.step(`pushback:${round}`, () => requiredPayload(run, "spec", SPEC_FILE));
    const concerns = pushback.map(({ severity, concern }) => ({ severity, text: concern }));
    const result = await askPushback(pipeline, `2-${round}`, concerns);
    if (result.choice !== "modify") return result.choice === "proceed";
    wishes = result.wish;
  }
  return true;
}
