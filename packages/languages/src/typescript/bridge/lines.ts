import { readSync, writeSync } from "node:fs";
import { ModuleGone } from "./wire.ts";

export const MAX_LINE = 16 * 1024 ** 2;

/** Lines over file descriptors, read and written synchronously. */
export interface Lines {
  /** The next line, or null at the end. */
  read(): string | null;
  write(line: string): void;
}

// The module could replace the functions of node:fs.
const [readBytes, writeBytes] = [readSync, writeSync];
const INPUT = 0;
const OUTPUT = 1;

export function openLines(): Lines {
  const chunk = Buffer.allocUnsafe(64 * 1024);
  let rest: Buffer[] = [];
  let held = 0;
  const ready: string[] = [];
  return {
    read() {
      while (ready.length === 0) {
        const count = retryUntilReady(() => readBytes(INPUT, chunk, 0, chunk.length, null));
        if (count === 0) return null;
        accept(chunk.subarray(0, count));
      }
      return ready.shift() ?? null;
    },
    write(line) {
      const bytes = Buffer.from(`${line}\n`);
      for (let at = 0; at < bytes.length;) at += retryUntilReady(() => writeBytes(OUTPUT, bytes, at));
    },
  };

  function accept(bytes: Buffer): void {
    let from = 0;
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, from)) {
      ready.push(Buffer.concat([...rest, bytes.subarray(from, end)]).toString("utf8"));
      rest = [];
      held = 0;
      from = end + 1;
    }
    rest.push(Buffer.from(bytes.subarray(from)));
    held += bytes.length - from;
    if (held > MAX_LINE) throw new ModuleGone(`The other process sent more than ${MAX_LINE} bytes at once.`);
  }
}

/** Other code in this process may have made the descriptor non-blocking. */
function retryUntilReady(work: () => number): number {
  const nothing = new Int32Array(new SharedArrayBuffer(4));
  for (;;) {
    try {
      return work();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
      Atomics.wait(nothing, 0, 0, 1);
    }
  }
}
