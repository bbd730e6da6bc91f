import type { ProviderRequest } from "../provider.ts";
import type { Client, StreamResult } from "./client.ts";
import { parsedObject } from "./json.ts";
import { lineSplitter } from "./lines.ts";

/** What a client's process writes, on its way to what it came to. */
export interface ClientStream {
  readonly push: (chunk: Uint8Array) => void;
  readonly end: () => void;
  readonly result: () => StreamResult;
  /** Whether nothing can come any more that would change the outcome. */
  readonly settled: () => boolean;
  /** Whether anything readable came. */
  readonly spoke: () => boolean;
  readonly dropped: () => number;
  readonly scrub: (text: string) => string;
}

interface Options {
  readonly request: ProviderRequest;
  readonly now: () => number;
  readonly secrets: readonly string[];
}

/** A whole file may be in one line. */
const MAX_LINE_BYTES = 32 * 1024 ** 2;
const MARK = "[secret]";

/** Only one line is held at a time, and every line is rid of the key before anybody sees it. */
export function openStream(client: Client, { request: { onEvent }, now, secrets }: Options): ClientStream {
  const emit = onEvent ?? (() => undefined);
  const reader = client.read(emit, now);
  const known = secrets.filter((secret) => secret !== "");
  const scrub = (text: string) => known.reduce((scrubbed, secret) => scrubbed.replaceAll(secret, MARK), text);
  let events = 0;
  const lines = lineSplitter((line) => {
    const clean = scrub(line);
    emit({ kind: "raw", line: clean });
    const event = parsedObject(clean);
    if (event === null) return;
    events += 1;
    reader.line(event);
  }, MAX_LINE_BYTES);
  return {
    push: lines.push,
    end: lines.end,
    result: reader.result,
    settled: () => {
      const { complete, trouble } = reader.result();
      return complete || trouble !== null;
    },
    spoke: () => events > 0,
    dropped: lines.dropped,
    scrub,
  };
}
