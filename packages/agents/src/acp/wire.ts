import type { AnyMessage, Stream } from "@agentclientprotocol/sdk/unstable";
import { lineSplitter } from "../clients/lines.ts";

export interface Wire {
  /** What the protocol's library talks through. */
  readonly stream: Stream;
  /** What the agent's process gets on stdin. */
  readonly toAgent: ReadableStream<Uint8Array>;
  /** What it wrote on stdout. */
  receive(chunk: Uint8Array): void;
  /** The process is gone, or shall be: nothing more comes, and nothing more is sent. */
  end(): void;
}

export interface WireLimits {
  readonly maxLineBytes: number;
  /** Taken here, in their order and whatever they are: the library drops, loudly, what is not in its version of the protocol. */
  readonly onNotification: (method: string, params: unknown) => void;
  /** A line that is no message of the protocol. Wrappers and careless agents print such things; the conversation goes on. */
  readonly onGarbage: (line: string) => void;
  /** A line was too long to be read. */
  readonly onOverlong: () => void;
}

/** One JSON object for each line, both ways. The library's own reader answers garbage with messages of its own and prints what it cannot place. */
export function openWire({ maxLineBytes, onNotification, onGarbage, onOverlong }: WireLimits): Wire {
  const incoming = channel<AnyMessage>();
  const outgoing = channel<Uint8Array>();
  const asked = new Set<unknown>();
  const encoder = new TextEncoder();
  const lines = lineSplitter(line, maxLineBytes);

  function line(raw: string): void {
    const text = raw.trim();
    if (text === "") return;
    const message = messageIn(text);
    if (message === null || isStrayResponse(message, asked)) onGarbage(text);
    else if ("method" in message && !("id" in message)) onNotification(message.method, message.params);
    else incoming.push(message);
  }

  return {
    stream: {
      readable: incoming.stream,
      writable: new WritableStream<AnyMessage>({
        write(message) {
          if ("method" in message && "id" in message) asked.add(message.id);
          outgoing.push(encoder.encode(`${JSON.stringify(message)}\n`));
        },
      }),
    },
    toAgent: outgoing.stream,
    receive(chunk) {
      lines.push(chunk);
      // It may have been the answer that was waited for.
      if (lines.dropped() > 0) onOverlong();
    },
    end() {
      incoming.close();
      outgoing.close();
    },
  };
}

function messageIn(text: string): AnyMessage | null {
  try {
    const value: unknown = JSON.parse(text);
    const isMessage = typeof value === "object" && value !== null && "jsonrpc" in value && ("method" in value || "id" in value);
    return isMessage ? (value as AnyMessage) : null;
  } catch {
    return null;
  }
}

function isStrayResponse(message: AnyMessage, asked: Set<unknown>): boolean {
  return !("method" in message) && !asked.delete(message.id);
}

interface Channel<T> {
  readonly stream: ReadableStream<T>;
  push(value: T): void;
  close(): void;
}

/** After it is closed, by us or by who reads it, what is pushed is dropped. */
function channel<T>(): Channel<T> {
  let controller: ReadableStreamDefaultController<T> | null = null;
  const stream = new ReadableStream<T>({
    start: (started) => void (controller = started),
    cancel: () => void (controller = null),
  });
  return {
    stream,
    push: (value) => controller?.enqueue(value),
    close() {
      controller?.close();
      controller = null;
    },
  };
}
