import { randomInt } from "node:crypto";
import type { Lines } from "./lines.ts";
import { malformed, readFrame, type WireAnswer, type Frame, type WireRequest } from "./wire.ts";

/** Requests and answers in turns: the side that asked waits, and serves requests of the other side in the meantime. */
export interface BridgeConversation {
  ask(request: WireRequest): WireAnswer;
  /** The next request, or null if the other side has ended. */
  next(): { readonly number: number; readonly request: WireRequest } | null;
  answer(number: number, answer: WireAnswer): void;
}

export interface ConversationOptions {
  readonly lines: Lines;
  readonly serve: (request: WireRequest) => WireAnswer;
  /** Prefix of every line of this side. */
  readonly mark: string;
  /** The error if no answer will come. */
  readonly gone: (why: string | null) => Error;
}

/** Numbers cannot be guessed: code under test that writes to the descriptor of its process cannot answer a request. */
const HIGHEST_NUMBER = 2 ** 48 - 1;

export function openConversation({ lines, serve, mark, gone }: ConversationOptions): BridgeConversation {
  /** After the first error every later request fails with the same error. */
  let broken: Error | null = null;
  const send = (frame: Frame) => lines.write(`${mark}${JSON.stringify(frame)}`);
  return {
    ask(request) {
      if (broken !== null) throw broken;
      const number = randomInt(HIGHEST_NUMBER);
      try {
        send({ request, number });
        for (;;) {
          const frame = read() ?? fail(gone(null));
          if ("request" in frame) send({ answer: serve(frame.request), number: frame.number });
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
    answer: (number, answer) => send({ answer, number }),
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
