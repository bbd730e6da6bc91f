import { z } from "zod";

/** A message of JSON-RPC, as the protocol of language servers uses it. */
const messageSchema = z.object({
  id: z.union([z.number(), z.string()]).optional(),
  method: z.string().optional(),
  params: z.unknown().optional(),
  result: z.unknown().optional(),
  error: z.object({ code: z.number(), message: z.string() }).optional(),
});
export type ServerMessage = z.infer<typeof messageSchema>;

const SEPARATOR = Buffer.from("\r\n\r\n");
/** A longer header or message is an error of the server. */
const MOST_HEADER = 8 * 1024;
const MOST_BYTES = 64 * 1024 ** 2;

export function encodeMessage(message: unknown): Uint8Array {
  const body = Buffer.from(JSON.stringify(message));
  return Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`), body]);
}

/** Splits a stream into messages. Returns what is wrong with it, or null. After a problem it reads nothing more. */
export function messageReader(onMessage: (message: ServerMessage) => void): (chunk: Uint8Array) => string | null {
  let rest = Buffer.alloc(0);
  let problem: string | null = null;
  return (chunk) => {
    if (problem !== null) return problem;
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      const end = rest.indexOf(SEPARATOR);
      if (end < 0) {
        if (rest.length > MOST_HEADER) problem = "the language server sent no header";
        return problem;
      }
      const length = Number(/^content-length:\s*(\d+)\s*$/im.exec(rest.toString("latin1", 0, end))?.[1] ?? Number.NaN);
      if (!(length <= MOST_BYTES)) return (problem = "the language server sent a header without a usable length");
      const start = end + SEPARATOR.length;
      if (rest.length < start + length) return null;
      const message = parsed(rest.toString("utf8", start, start + length));
      if (message === null) return (problem = "the language server sent a message that is no JSON-RPC");
      rest = rest.subarray(start + length);
      onMessage(message);
    }
  };
}

function parsed(text: string): ServerMessage | null {
  try {
    return messageSchema.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}
