import { ProtocolError, ProtocolErrorCode, Server, type CallToolResult, type ServerContext, type Tool } from "@modelcontextprotocol/server";
import { SlipwayError } from "@slipway/kernel/schema/errors";
import type { Kernel } from "@slipway/kernel/kernel";
import type { Credential } from "@slipway/kernel/tools/credential";
import { callTool, envelopeText } from "@slipway/kernel/tools/dispatch";
import { failureOf, type ToolEnvelope } from "@slipway/kernel/tools/envelope";
import type { Pins } from "./catalog.ts";
import type { InFlight } from "./in-flight.ts";
import { progressTo } from "./progress.ts";
import type { PublishedTools } from "./published-tools.ts";

/** What every connection is served from. */
export interface Counter {
  readonly version: string;
  readonly tools: PublishedTools;
  readonly pins: Pins;
  readonly inFlight: InFlight;
  readonly signOfLifeMs: number;
  readonly kernel: () => Promise<Kernel>;
  /** For whoever runs the server; never for a client. */
  readonly report: (line: string) => void;
}

/** Who calls; rejects when nobody does who may. */
export type Identify = (context: ServerContext) => Promise<Credential>;

/** One connection's server. The schemas are checked by the dispatcher, so that roles come before input and every answer has one form. */
export function mcpServer(counter: Counter, identify: Identify, instructions: string): Server {
  const { pins, tools } = counter;
  const server = new Server(
    { name: "slipway", title: "Slipway", version: counter.version },
    { capabilities: { tools: {} }, instructions, supportedProtocolVersions: [...pins.protocol_versions] },
  );
  server.setRequestHandler("tools/list", () => ({ tools: tools.entries.map(listed) }));
  server.setRequestHandler("tools/call", async ({ params }, context) => {
    const envelope = await counter.inFlight.track(answer(counter, identify, params.name, params.arguments ?? {}, context));
    // The protocol has an answer of its own for a tool that does not exist.
    if (!envelope.ok && !tools.byName.has(params.name)) {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, envelope.error.message, envelope);
    }
    return resultOf(envelope);
  });
  return server;
}

async function answer(counter: Counter, identify: Identify, name: string, args: unknown, context: ServerContext): Promise<ToolEnvelope> {
  const { mcpReq, http } = context;
  const token = mcpReq._meta?.progressToken;
  const progress =
    token === undefined
      ? null
      : progressTo(
          (message) =>
            void mcpReq.notify({ method: "notifications/progress", params: { progressToken: token, ...message } }).catch(() => undefined),
          name,
          counter.signOfLifeMs,
        );
  // A client that hangs up has nobody left to read the answer.
  const hungUp = http?.req?.signal;
  try {
    const credential = await identify(context);
    return await callTool(await counter.kernel(), counter.tools, credential, name, args, {
      signal: () => AbortSignal.any([mcpReq.signal, ...(hungUp === undefined ? [] : [hungUp]), counter.inFlight.signal]),
      progress: (note) => progress?.note(note),
      onBug: (error, reference) => counter.report(`${reference}: ${inFull(error)}`),
    });
  } catch (error) {
    if (error instanceof SlipwayError) return failureOf(error);
    throw error;
  } finally {
    progress?.stop();
  }
}

/** For whoever runs the server. */
export function inFull(error: unknown): string {
  return error instanceof Error ? String(error.stack) : String(error);
}

function listed({ entry, input, output }: PublishedTools["entries"][number]): Tool {
  return {
    name: entry.name,
    description: entry.description,
    inputSchema: input as Tool["inputSchema"],
    outputSchema: output as NonNullable<Tool["outputSchema"]>,
    annotations: {
      readOnlyHint: entry.kind === "read",
      destructiveHint: entry.destructive,
      idempotentHint: entry.idempotent,
      openWorldHint: false,
    },
  };
}

function resultOf(envelope: ToolEnvelope): CallToolResult {
  return {
    content: [{ type: "text", text: envelopeText(envelope) }],
    structuredContent: { ...envelope },
    ...(envelope.ok ? {} : { isError: true }),
  };
}
