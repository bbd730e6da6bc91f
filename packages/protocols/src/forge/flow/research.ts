import type { ForgeProgress } from "../progress.ts";
import { dispatchStep } from "../dispatch-step.ts";
import type { DispatchOf } from "../dispatch/dispatches.ts";
import { payloadOf } from "../dispatch/run-documents.ts";
import { researchFile } from "../files.ts";
import { postResearchRequest } from "../rules/approvals.ts";
import { RESEARCH_FOCUSES } from "../schemas/enums.ts";
import { elapsedMs } from "./elapsed.ts";
import { askGate } from "./ask-gate.ts";

const MAX_EXPANSIONS = 5;

/** Step 1 and gate 1a. False if a person aborted. */
export async function research(progress: ForgeProgress): Promise<boolean> {
  let focuses: readonly string[] = RESEARCH_FOCUSES;
  let more: string | null = null;
  for (let round = 1; round <= MAX_EXPANSIONS; round++) {
    const dispatches = focuses.map((focus): DispatchOf<"researcher"> => {
      return { role: "researcher", step: "1", instance: round === 1 ? focus : `${focus}-${round}`, focus, more };
    });
    await dispatchStep(progress, {
      step: "1",
      dispatches,
      input: async (agents) => ({ input: "research", agents }),
      words: `${dispatches.length} researchers`,
    });
    const { run } = progress;
    const results = await run.ctx.step(`research-results:${round}`, async () => {
      const payloads = await Promise.all(focuses.map((focus) => payloadOf(run, "researcher", researchFile(focus))));
      return payloads.flatMap((payload) =>
        payload === null ? [] : [{ focus: payload.focus, findings: payload.findings.map(({ title }) => ({ title })) }],
      );
    });
    const answer = await askGate(progress, postResearchRequest(results, focuses.length, await elapsedMs(progress, `1a:${round}`)), round);
    if (answer.action.type === "abort") return false;
    if (answer.option !== "expand") return true;
    more = answer.comment ?? "Look wider and deeper than before.";
    focuses = [...RESEARCH_FOCUSES, ...focusesIn(more)];
  }
  return true;
}

/** `focus: name` in a person's comment adds a focus. */
function focusesIn(comment: string): string[] {
  const named = [...comment.matchAll(/\bfocus:\s*([a-z][a-z0-9-]{0,40})/gi)].map(([, name = ""]) => name.toLowerCase());
  return [...new Set(named)].filter((name) => !RESEARCH_FOCUSES.some((known) => known === name));
}
