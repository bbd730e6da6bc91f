import type { AnyMessage, Stream } from "@agentclientprotocol/sdk/unstable";
import { lineSplitter } from "../clients/lines.ts";

export interface AcpWire {
  /** The stream for the protocol library. */
  readonly stream: Stream;
  /** The stdin of the agent's process. */
  readonly toAgent: ReadableStream<Uint8Array>;
  /** A chunk of its stdout. */
  receive(chunk: Uint8Array): void;
  /** Ends both directions: the process has ended or will be killed. */
  end(): void;
}

export interface WireLimits {
  readonly maxLineBytes: number;
  /** All notifications in order, including unknown ones, which the library would drop with a message on the console. */
  readonly onNotification: (method: string, params: unknown) => void;
  /** A line that is not a message of the protocol. Wrappers and some agents print such lines; they are ignored. */
  readonly onGarbage: (line: string) => void;
  /** A line exceeded the limit. */
  readonly onOverlong: () => void;
}

/** JSON lines in both directions. The library's own reader replies to invalid lines and prints messages it does not know. */
export function openWire({ maxLineBytes, onNotification, onGarbage, onOverlong }: WireLimits): AcpWire {
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
      // The dropped line may have been the expected reply.
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

/** After it is closed by either side, pushed data is dropped. */
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
