import { isUtf8 } from "node:buffer";
import { SlipwayError } from "./errors.ts";

const MAX_BYTES = 1024 * 1024;
const NEWLINE = 0x0a;

/** The text of a small configuration file, or a clear refusal: too big, or not UTF-8. */
export function decodeText(file: string, input: string | Uint8Array, maxBytes = MAX_BYTES): string {
  const bytes = typeof input === "string" ? Buffer.from(input) : input;
  if (bytes.byteLength > maxBytes) {
    throw new SlipwayError("config_invalid", `${file} has ${bytes.byteLength} bytes; at most ${maxBytes} are read.`, {
      file,
      suggested_next_actions: [`Check that ${file} is the file you meant, and make it smaller.`],
    });
  }
  if (typeof input === "string") return input;
  if (!isUtf8(bytes)) {
    const line = firstBadLine(bytes);
    throw new SlipwayError("config_invalid", `${file} is not UTF-8 text (line ${line}).`, {
      file,
      line,
      suggested_next_actions: [`Save ${file} as UTF-8.`],
    });
  }
  return new TextDecoder().decode(bytes);
}

function firstBadLine(bytes: Uint8Array): number {
  let line = 1;
  let start = 0;
  for (;;) {
    const end = bytes.indexOf(NEWLINE, start);
    if (end < 0 || !isUtf8(bytes.subarray(start, end))) return line;
    start = end + 1;
    line++;
  }
}
