import type { Lines } from "./lines.ts";
import { malformed, readFrame, type WireAnswer, type Frame, type WireRequest } from "./wire.ts";

/** Requests and answers in turns: whoever has asked waits, and serves what it is asked meanwhile. */
export interface BridgeConversation {
  ask(request: WireRequest): WireAnswer;
  /** The next request, or null when the other side is gone. */
  next(): { readonly number: number; readonly request: WireRequest } | null;
  answer(number: number, answer: WireAnswer): void;
}

export interface ConversationOptions {
  readonly lines: Lines;
  readonly serve: (request: WireRequest) => WireAnswer;
  /** Stands before every line of this side. */
  readonly mark: string;
  /** No answer will come. */
  readonly gone: (why: string | null) => Error;
}

export function openConversation({ lines, serve, mark, gone }: ConversationOptions): BridgeConversation {
  let count = 0;
  /** Once something was wrong nothing is right any more: every later question gets the same answer. */
  let broken: Error | null = null;
  const say = (frame: Frame) => lines.write(`${mark}${JSON.stringify(frame)}`);
  return {
    ask(request) {
      if (broken !== null) throw broken;
      const number = ++count;
      try {
        say({ request, number });
        for (;;) {
          const frame = read() ?? fail(gone(null));
          if ("request" in frame) say({ answer: serve(frame.request), number: frame.number });
          else return frame.number === number ? frame.answer : malformed("an answer to something else");
        }
      } catch (error) {
        broken = error as Error;
        throw error;
      }
    },
    next() {
      const frame = read();
      return frame === null ? null : "request" in frame ? frame : malformed("an answer to nothing");
    },
    answer: (number, answer) => say({ answer, number }),
  };

  function read(): Frame | null {
    const line = lines.read();
    if (line === null) return null;
    if (line.startsWith("gone ")) throw gone(line.slice("gone ".length));
    return readFrame(line);
  }
}

function fail(error: Error): never {
  throw error;
}
