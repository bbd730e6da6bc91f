import { z } from "zod";
import { replyUsageSchema } from "../usage.ts";

const failure = z.object({ code: z.string(), message: z.string(), details: z.record(z.string(), z.unknown()) });
const tokens = z.object({ input_tokens: z.number(), output_tokens: z.number(), cost_usd: z.number() });
const counted = tokens.extend({ duration_ms: z.number(), calls: z.number(), model: z.string().nullable() });
const repair = z.int().min(0);

/** The first line of a transcript. */
const head = z.object({
  kind: z.literal("invocation"),
  version: z.literal(1),
  /** The run that paid for it, and the name of its step. */
  run: z.string(),
  step: z.string(),
  role: z.string(),
  subject: z.string(),
  attempt: z.string(),
  provider: z.string(),
  model: z.string().nullable(),
});

const moments = [
  z.object({ kind: z.literal("sent"), repair, system: z.string(), prompt: z.string(), prompt_digest: z.string() }),
  z.object({ kind: z.literal("text"), text: z.string() }),
  z.object({
    kind: z.literal("tool"),
    name: z.string(),
    input: z.unknown(),
    output: z.string(),
    ok: z.boolean(),
    duration_ms: z.number(),
  }),
  z.object({ kind: z.literal("usage"), usage: replyUsageSchema, model: z.string().nullable() }),
  z.object({ kind: z.literal("raw"), line: z.string() }),
  z.object({
    kind: z.literal("answer"),
    repair,
    text: z.string(),
    usage: replyUsageSchema,
    model: z.string().nullable(),
    duration_ms: z.number(),
  }),
  z.object({ kind: z.literal("refused"), repair, errors: z.array(z.string()) }),
  z.object({ kind: z.literal("failed"), repair, failure, duration_ms: z.number() }),
  /** The final output if it is not the answer itself, for example the patch found in the pack. */
  z.object({ kind: z.literal("output"), output: z.json() }),
  /** The harness rejected the answer, for example because nothing changed in the pack. */
  z.object({ kind: z.literal("rejected"), failure }),
  z.object({ kind: z.literal("ended"), ok: z.boolean(), usage: counted, failure: failure.nullable() }),
  /** The invocation was stopped, or failed in our own code: it has no outcome. */
  z.object({ kind: z.literal("stopped"), reason: z.string() }),
] as const;

const momentSchema = z.discriminatedUnion("kind", moments);

export type Moment = z.output<typeof momentSchema>;
export type TranscriptHead = z.output<typeof head>;

const at = z.object({ at: z.number() });
export const lineSchema = z.discriminatedUnion("kind", [head, ...moments]).and(at);
export type TranscriptLine = z.output<typeof lineSchema>;

/**
 * Observes an invocation; transcripts and traces are made from these events alone. It has no influence. The invocation awaits its result
 * only where it waits anyway: after "sent", "answer" and later events.
 */
export type Watch = (moment: Moment) => void | Promise<void>;

export function watchedBy(...watches: readonly Watch[]): Watch {
  return (moment) => {
    const slow = watches.map((watch) => watch(moment)).filter((waiting) => waiting !== undefined);
    return slow.length === 0 ? undefined : Promise.all(slow).then(() => undefined);
  };
}
