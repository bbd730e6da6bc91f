import { z } from "zod";
import { REQUEST_FILE } from "../files.ts";
import { callOf } from "../forge-run.ts";
import type { ForgeProgress } from "../progress.ts";
import { PUSHBACK_CHOICES, type FindingSeverity } from "../schemas/enums.ts";
import { FORGE_STEPS } from "../steps.ts";

export interface Concern {
  readonly severity: FindingSeverity;
  readonly text: string;
}

/** `modify` changes the request; only a person's `abandon` ends the run. */
export type PushbackResult = { readonly choice: "proceed" | "abandon" } | { readonly choice: "modify"; readonly wish: string };

/** Concerns about the request: asked as multiple choice in interactive mode, logged otherwise. */
export async function askPushback({ run }: ForgeProgress, where: string, concerns: readonly Concern[]): Promise<PushbackResult> {
  if (concerns.length === 0) return { choice: "proceed" };
  const lines = concerns.map(({ severity, text }) => `${severity}: ${text}`);
  if (run.ref.mode === "autonomous") {
    await run.ctx.step(FORGE_STEPS.note.named(`pushback-${where}`), async () => `concerns about the request, logged: ${lines.join("; ")}`);
    return { choice: "proceed" };
  }
  const answer = await run.ctx.ask(`pushback:${where}`, {
    kind: "forge_pushback",
    title: `${run.id}: there are concerns about the request`,
    body: lines.join("\n"),
    options: [
      { value: "proceed", label: "go on as requested" },
      { value: "modify", label: "change the request; the comment says how" },
      { value: "abandon", label: "end the run; its outputs stay" },
    ],
    schema: z
      .strictObject({ decision: z.enum(PUSHBACK_CHOICES), comment: z.string().min(1).optional() })
      .refine(({ decision, comment }) => decision !== "modify" || comment !== undefined, {
        error: "modify needs a comment",
        path: ["comment"],
      }),
    context: { feature_id: run.id, concerns },
    answerableBy: ["person"],
  });
  if (answer.decision !== "modify") return { choice: answer.decision };
  const wish = answer.comment ?? "";
  await run.ctx.step(`request-file:${where}`, async () => {
    const before = (await run.files.text(REQUEST_FILE)) ?? "";
    const added = `\n\n## Changed after pushback\n\n${wish}\n`;
    // The step is done again after a crash.
    if (before.endsWith(added)) return;
    await run.files.write(callOf(run, `request-file:${where}`), { [REQUEST_FILE]: `${before.trimEnd()}${added}` });
  });
  return { choice: "modify", wish };
}
