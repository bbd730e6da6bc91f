import type { Readable, Writable } from "node:stream";
import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { mcpServer, type ServerParts } from "./server.ts";
import { strictLines } from "./strict-lines.ts";
import type { Credential } from "@slipway/kernel/tools/credential";

export interface StdioOptions {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly credential: Credential;
  /** Called for each request, because a token may expire during the connection. */
  readonly identify: () => Promise<Credential>;
  readonly signal: AbortSignal;
}

/** Serves one client until it disconnects or the signal aborts. Only messages of the protocol go to stdout. */
export async function overStdio(parts: ServerParts, { stdin, stdout, credential, identify, signal }: StdioOptions): Promise<void> {
  const { promise: closed, resolve: close } = Promise.withResolvers<void>();
  const lines = strictLines(stdin, (line) => void stdout.write(line));
  lines.on("error", (error) => parts.report(error.message));
  const transport = new StdioServerTransport(lines, stdout);
  const handle = serveStdio(() => mcpServer(parts, identify, credential), {
    transport,
    onerror: (error) => parts.report(error.message),
  });
  lines.on("close", close);
  lines.on("end", close);
  stdout.on("error", () => close());
  signal.addEventListener("abort", () => close(), { once: true });
  if (signal.aborted) close();
  await closed;
  await parts.inFlight.drain();
  await handle.close();
  lines.destroy();
  stdin.pause();
}
