import { z } from "zod";

/** What agents say beside the protocol, each in its own corner of a message. */
const quota = z.object({
  _meta: z.object({
    quota: z.object({
      token_count: z.object({ input_tokens: z.int().min(0), output_tokens: z.int().min(0) }).optional(),
      model_usage: z.array(z.object({ model: z.string() })).optional(),
    }),
  }),
});

/** Of a reply to session/prompt; gemini and claude have it there. */
export function quotaIn(promptReply: unknown) {
  const parsed = quota.safeParse(promptReply);
  return parsed.success ? parsed.data._meta.quota : null;
}

/** The model that answered, where the agent says so and it was one. */
export function modelIn(promptReply: unknown): string | null {
  const [only, ...others] = quotaIn(promptReply)?.model_usage ?? [];
  return only !== undefined && others.length === 0 ? only.model : null;
}

const codex = z.object({
  _meta: z.object({
    codex: z.object({
      threadStatus: z.object({ type: z.string() }).optional(),
      error: z.object({ message: z.string() }).optional(),
    }),
  }),
});

/** codex-acp tells an error as if the model had said it, and ends the turn as if nothing were wrong; only this gives it away. */
export function brokenBy(update: unknown): { readonly broken: boolean; readonly error: string | null } {
  const parsed = codex.safeParse(update);
  if (!parsed.success) return { broken: false, error: null };
  const { threadStatus, error } = parsed.data._meta.codex;
  return { broken: threadStatus?.type === "systemError", error: error?.message ?? null };
}
