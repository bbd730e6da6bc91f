import { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { INVALID_REQUEST } from "@modelcontextprotocol/server";
import { failureOf } from "@slipway/kernel/tools/envelope";
import { readMessage } from "./strict-json.ts";

/** The SDK's own limit for one message. */
const LONGEST_LINE = 10 * 1024 * 1024;

/**
 * Passes valid messages on line by line. Answers lines that are not strict JSON itself; they never reach the SDK. Not a Transform,
 * whose writable side would cost a tenth of a short call.
 */
export function strictLines(input: Readable, refuse: (line: string) => void): Readable {
  const decoder = new StringDecoder("utf8");
  let pending = "";
  const lines = new Readable({
    read: () => void input.resume(),
    destroy(error, done) {
      input.off("data", take).off("end", end).off("error", fail);
      done(error);
    },
  });

  function take(chunk: Buffer): void {
    const parts = (pending + decoder.write(chunk)).split("\n");
    pending = parts.pop() ?? "";
    let hasRoom = true;
    for (const line of parts) {
      if (line.trim() === "") continue;
      const message = readMessage(line);
      if (message.ok) hasRoom = lines.push(`${line}\n`);
      else refuse(refusal(message));
    }
    if (pending.length > LONGEST_LINE) lines.destroy(new Error(`A message is longer than ${LONGEST_LINE} characters.`));
    else if (!hasRoom) input.pause();
  }
  const end = () => void lines.push(null);
  const fail = (error: Error) => void lines.destroy(error);
  input.on("data", take).on("end", end).on("error", fail);
  return lines;
}

function refusal({ error, id }: Extract<ReturnType<typeof readMessage>, { ok: false }>): string {
  return `${JSON.stringify({ jsonrpc: "2.0", id, error: { code: INVALID_REQUEST, message: error.message, data: failureOf(error) } })}\n`;
}
