import { z } from "zod";

/** Vendor extensions: data that agents put beside the protocol. */
const quota = z.object({
  _meta: z.object({
    quota: z.object({
      token_count: z.object({ input_tokens: z.int().min(0), output_tokens: z.int().min(0) }).optional(),
      model_usage: z.array(z.object({ model: z.string() })).optional(),
    }),
  }),
});

/** In the reply to session/prompt, for gemini and claude. */
export function quotaIn(promptReply: unknown) {
  const parsed = quota.safeParse(promptReply);
  return parsed.success ? parsed.data._meta.quota : null;
}

/** The model that answered, if the agent reports exactly one. */
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

/** codex-acp reports an error as model text and ends the turn normally; only this field reveals it. */
export function brokenBy(update: unknown): { readonly broken: boolean; readonly error: string | null } {
  const parsed = codex.safeParse(update);
  if (!parsed.success) return { broken: false, error: null };
  const { threadStatus, error } = parsed.data._meta.codex;
  return { broken: threadStatus?.type === "systemError", error: error?.message ?? null };
}
