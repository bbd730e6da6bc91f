import type { AgentEvent, ProviderRequest } from "../provider.ts";
import { hasNoTool } from "../tools/native-tools.ts";
import type { Client, StreamResult } from "./client.ts";
import { object, parsedObject } from "./json.ts";
import { lineSplitter } from "./lines.ts";

/** Parses the output of a client's process. */
export interface ClientStream {
  readonly push: (chunk: Uint8Array) => void;
  readonly end: () => void;
  readonly result: () => StreamResult;
  /** Whether no further output can change the result. */
  readonly settled: () => boolean;
  /** Whether any readable output came. */
  readonly spoke: () => boolean;
  readonly dropped: () => number;
  readonly scrub: (text: string) => string;
}

interface Options {
  readonly request: ProviderRequest;
  readonly now: () => number;
  readonly secrets: readonly string[];
}

/** A line may contain a whole file. */
const MAX_LINE_BYTES = 32 * 1024 ** 2;
const MARK = "[secret]";

/** Buffers one line at a time, and redacts the key before a line is passed on. */
export function openStream(client: Client, { request, now, secrets }: Options): ClientStream {
  const emit = withRefusals(client, request);
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
      const { complete, error } = reader.result();
      return complete || error !== null;
    },
    spoke: () => events > 0,
    dropped: lines.dropped,
    scrub,
  };
}

/** A failed call of a tool that the client was not given is a refusal. */
function withRefusals({ offered }: Client, { onEvent = () => undefined, tools, role }: ProviderRequest): (event: AgentEvent) => void {
  const names = offered(tools);
  return (event) => {
    onEvent(event);
    if (event.kind !== "tool" || event.ok || names === null || names.includes(event.name)) return;
    const input = object(event.input);
    const path = [input["file_path"], input["filePath"], input["path"], input["absolute_path"]].find((one) => typeof one === "string");
    onEvent({ kind: "refused", tool: event.name, path: typeof path === "string" ? path : null, reason: hasNoTool(role, event.name) });
  };
}
