import { createPack } from "@slipway/agents/pack";
import { fromFailure } from "@slipway/durable/errors";
import { workflow } from "@slipway/durable/ctx";
import { z } from "zod";
import { deliver, oneChange, type Delivered } from "@slipway/protocols/change/deliver";
import { invokerOf } from "@slipway/protocols/change/invoker";
import { readyFiles } from "@slipway/protocols/change/ready-files";
import type { ChangeServices } from "@slipway/protocols/change/services";
import { askAgent } from "@slipway/protocols/dispatch/ask-agent";
import { STEPS } from "./steps.ts";

interface NoteInput {
  readonly id: string;
  readonly request: string;
}

export type ThrowawayResult =
  { readonly status: "merged"; readonly commit: string } | { readonly status: "not_merged"; readonly commit: "" };

/** One question, one role, one change. */
export const throwaway = workflow<NoteInput, ThrowawayResult, ChangeServices>("throwaway", "1", async (ctx, { id, request }, services) => {
  const { decision: tone } = await ctx.ask("tone", {
    kind: "tone",
    title: "Which tone should the note have?",
    body: request,
    options: [
      { value: "plain", label: "plain words" },
      { value: "solemn", label: "solemn words" },
    ],
    schema: z.strictObject({ decision: z.enum(["plain", "solemn"]), comment: z.string().optional() }),
  });
  const answered = await askAgent(invokerOf(oneChange(ctx, services, id)), STEPS.writer.named(1), {
    role: "writer",
    subject: id,
    attempt: "1",
    pack: createPack([{ title: "request", kind: "request", text: request }]),
    instructions: `Write the note in ${tone} words.`,
    schema: z.strictObject({ text: z.string().min(1) }),
  });
  if (!answered.ok) throw fromFailure(answered.failure);
  const delivered = await ctx.child(`feature:${id}`, noteChange, { id, text: answered.value.text });
  return delivered.status === "merged" ? { status: "merged", commit: delivered.landing.commit } : { status: "not_merged", commit: "" };
});

export const noteChange = workflow<{ readonly id: string; readonly text: string }, Delivered, ChangeServices>(
  "throwaway-note",
  "1",
  (ctx, { id, text }, services) =>
    deliver(oneChange(ctx, services, id), {
      ...readyFiles(services.kernel, {
        id,
        appliedBy: "throwaway",
        summary: "adds the note that was asked for",
        acceptance_criteria: ["the note is there"],
        areas: ["src"],
        files: async () => ({ "src/note.txt": `${text}\n` }),
      }),
      spec: { source: "note.md", text },
      whenSentBack: "The note stays as it is.",
      retryLabel: "put it on the base as it is now and ask again",
      giveUpLabel: "end it; the work stays reachable",
    }),
);
