import { z } from "zod";

export const EVENTS_FILE = "events.jsonl";

const count = z.int().min(0);
const timestamp = z.iso.datetime();

const modelCall = z.strictObject({
  model: z.string(),
  role: z.string(),
  phase: z.string(),
  tokensIn: count,
  tokensOut: count,
  durationMs: z.number().min(0),
  usd: z.number().min(0),
});

/** One line of events.jsonl. States without a phase are `blocked` and `completed`. */
export const telemetryEventSchema = z.discriminatedUnion("event", [
  z.strictObject({ timestamp, event: z.literal("model_call"), data: modelCall }),
  z.strictObject({ timestamp, event: z.literal("phase_transition"), data: z.strictObject({ from: z.string(), to: z.string() }) }),
  z.strictObject({
    timestamp,
    event: z.literal("escalation"),
    data: z.strictObject({ function: z.string(), from: z.string(), to: z.string(), reason: z.string() }),
  }),
  z.strictObject({
    timestamp,
    event: z.literal("circuit_break"),
    data: z.strictObject({ condition: z.string(), functions: z.array(z.string()) }),
  }),
  z.strictObject({ timestamp, event: z.literal("block"), data: z.strictObject({ reason: z.string(), phase: z.string() }) }),
]);

export type TelemetryEvent = z.output<typeof telemetryEventSchema>;

/** One line, with its line break. JSON escapes line breaks in texts. */
export function eventLine({ timestamp: at, event, data }: TelemetryEvent): string {
  return `${JSON.stringify({ timestamp: at, event, data })}\n`;
}
