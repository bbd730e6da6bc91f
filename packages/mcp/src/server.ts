import { ProtocolError, ProtocolErrorCode, Server, type CallToolResult, type ServerContext, type Tool } from "@modelcontextprotocol/server";
import { SlipwayError } from "@slipway/kernel/schema/errors";
import type { Kernel } from "@slipway/kernel/kernel";
import type { Credential } from "@slipway/kernel/tools/credential";
import { callTool, envelopeText } from "@slipway/kernel/tools/dispatch";
import { failureOf, type ToolEnvelope } from "@slipway/kernel/tools/envelope";
import type { Pins } from "./catalog.ts";
import type { InFlight } from "./in-flight.ts";
import { instructionsFor } from "./instructions.ts";
import { progressTo } from "./progress.ts";
import type { PublishedTools } from "./published-tools.ts";

/** A server of a protocol, with its own tools only. */
export interface OwnServer {
  readonly name: string;
  /** The text that a model reads before its first call. */
  readonly instructions: string;
}

/** What all connections of a server share. */
export interface ServerParts {
  readonly version: string;
  /** Null for Slipway's own server. */
  readonly server: OwnServer | null;
  readonly tools: PublishedTools;
  readonly pins: Pins;
  readonly inFlight: InFlight;
  readonly keepAliveMs: number;
  readonly kernel: () => Promise<Kernel>;
  /** Writes to the log of the server; clients never see it. */
  readonly report: (line: string) => void;
}

/** Returns the credential of the caller; rejects a caller without a valid one. */
export type Identify = (context: ServerContext) => Promise<Credential>;

/** The server of one connection. `callTool` checks the schemas, so that the role is checked before the input and all answers have one form. */
export function mcpServer(parts: ServerParts, identify: Identify, credential: Credential): Server {
  const { pins, tools, server: own } = parts;
  const server = new Server(
    own === null ? { name: "slipway", title: "Slipway", version: parts.version } : { name: own.name, version: parts.version },
    {
      capabilities: { tools: {} },
      instructions: own?.instructions ?? instructionsFor(credential),
      supportedProtocolVersions: [...pins.protocol_versions],
    },
  );
  server.setRequestHandler("tools/list", () => ({ tools: tools.entries.map(listed) }));
  server.setRequestHandler("tools/call", async ({ params }, context) => {
    const envelope = await parts.inFlight.track(answer(parts, identify, params.name, params.arguments ?? {}, context));
    // The protocol defines its own error for an unknown tool.
    if (!envelope.ok && !tools.byName.has(params.name)) {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, envelope.error.message, envelope);
    }
    return resultOf(envelope);
  });
  return server;
}

async function answer(parts: ServerParts, identify: Identify, name: string, args: unknown, context: ServerContext): Promise<ToolEnvelope> {
  const { mcpReq, http } = context;
  const token = mcpReq._meta?.progressToken;
  const progress =
    token === undefined
      ? null
      : progressTo(
          (message) =>
            void mcpReq.notify({ method: "notifications/progress", params: { progressToken: token, ...message } }).catch(() => undefined),
          name,
          parts.keepAliveMs,
        );
  // If the client disconnects, its call is aborted.
  const hungUp = http?.req?.signal;
  try {
    const credential = await identify(context);
    return await callTool(await parts.kernel(), parts.tools, credential, name, args, {
      signal: () => AbortSignal.any([mcpReq.signal, ...(hungUp === undefined ? [] : [hungUp]), parts.inFlight.signal]),
      progress: (note) => progress?.note(note),
      onBug: (error, reference) => parts.report(`${reference}: ${inFull(error)}`),
    });
  } catch (error) {
    if (error instanceof SlipwayError) return failureOf(error);
    throw error;
  } finally {
    progress?.stop();
  }
}

/** With the stack, for the log of the server. */
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
