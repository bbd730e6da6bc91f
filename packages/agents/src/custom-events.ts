import { z } from "zod";
import type { AgentEvent } from "./provider.ts";
import { replyUsageSchema } from "./usage.ts";

const eventLine = z.strictObject({
  event: z.discriminatedUnion("kind", [
    z.strictObject({ kind: z.literal("text"), text: z.string() }),
    z.strictObject({
      kind: z.literal("tool"),
      name: z.string().min(1),
      input: z.json().default(null),
      output: z.string().default(""),
      ok: z.boolean().default(true),
      duration_ms: z.number().min(0).default(0),
    }),
    z.strictObject({ kind: z.literal("usage"), usage: replyUsageSchema, model: z.string().nullable().default(null) }),
  ]),
});

const NEWLINE = 0x0a;

/** A command may report events before its reply, one {"event": …} per line. The first other line begins the reply. */
export function eventReader(onEvent: (event: AgentEvent) => void) {
  const replyParts: Uint8Array[] = [];
  let head = true;
  let line: Uint8Array[] = [];

  return {
    take(chunk: Uint8Array): void {
      let rest = chunk;
      while (head) {
        const at = rest.indexOf(NEWLINE);
        line.push(at < 0 ? rest : rest.subarray(0, at + 1));
        if (at < 0) return;
        rest = rest.subarray(at + 1);
        const event = eventIn(Buffer.concat(line).toString("utf8"));
        if (event === null) {
          head = false;
          replyParts.push(...line);
        } else onEvent(event);
        line = [];
      }
      replyParts.push(rest);
    },
    rest: () => Buffer.concat([...replyParts, ...line]).toString("utf8"),
  };
}

function eventIn(line: string): AgentEvent | null {
  if (!line.startsWith('{"event"')) return null;
  try {
    return eventLine.parse(JSON.parse(line)).event;
  } catch {
    return null;
  }
}
