import type { Readable, Writable } from "node:stream";
import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { instructionsFor } from "./instructions.ts";
import { mcpServer, type Counter } from "./server.ts";
import { strictLines } from "./strict-lines.ts";
import type { Credential } from "@slipway/kernel/tools/credential";

export interface StdioOptions {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly credential: Credential;
  /** Asked at every call: a token may run out while the connection lasts. */
  readonly identify: () => Promise<Credential>;
  readonly signal: AbortSignal;
}

/** Serves one client until it hangs up or the signal says stop. Only the protocol's bytes go to stdout. */
export async function overStdio(counter: Counter, { stdin, stdout, credential, identify, signal }: StdioOptions): Promise<void> {
  const { promise: closed, resolve: close } = Promise.withResolvers<void>();
  const lines = strictLines(stdin, (line) => void stdout.write(line));
  lines.on("error", (error) => counter.report(error.message));
  const transport = new StdioServerTransport(lines, stdout);
  const handle = serveStdio(() => mcpServer(counter, identify, instructionsFor(credential)), {
    transport,
    onerror: (error) => counter.report(error.message),
  });
  lines.on("close", close);
  lines.on("end", close);
  stdout.on("error", () => close());
  signal.addEventListener("abort", () => close(), { once: true });
  if (signal.aborted) close();
  await closed;
  await counter.inFlight.drain();
  await handle.close();
  lines.destroy();
  stdin.pause();
}
