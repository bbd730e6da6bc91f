import { Transform } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { INVALID_REQUEST } from "@modelcontextprotocol/server";
import { failureOf } from "@slipway/kernel/tools/envelope";
import { readMessage } from "./strict-json.ts";

/** As much as the SDK itself takes for one message. */
const LONGEST_LINE = 10 * 1024 * 1024;

/** Lets messages through line by line; what is not strict JSON is answered here and never reaches the SDK. */
export function strictLines(refuse: (line: string) => void): Transform {
  const decoder = new StringDecoder("utf8");
  let pending = "";
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const lines = (pending + decoder.write(chunk)).split("\n");
      pending = lines.pop() ?? "";
      for (const line of lines) {
        if (line.trim() === "") continue;
        const message = readMessage(line);
        if (message.ok) this.push(`${line}\n`);
        else refuse(refusal(message));
      }
      done(pending.length > LONGEST_LINE ? new Error(`A message is longer than ${LONGEST_LINE} characters.`) : null);
    },
  });
}

function refusal({ error, id }: Extract<ReturnType<typeof readMessage>, { ok: false }>): string {
  return `${JSON.stringify({ jsonrpc: "2.0", id, error: { code: INVALID_REQUEST, message: error.message, data: failureOf(error) } })}\n`;
}
