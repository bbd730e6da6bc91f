import { InMemoryTransport, isJSONRPCResultResponse, Server, type JSONRPCMessage } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";

/** From this revision on there is no handshake; each request names its revision. */
const FIRST_WITHOUT_HANDSHAKE = "2026-07-28";

const CLIENT = { name: "slipway-probe", version: "1.0.0" };

/** The revision that the SDK negotiates for each requested one; null if it refuses. */
export function negotiated(versions: readonly string[]): Promise<(string | null)[]> {
  return Promise.all(versions.map(negotiatedFor));
}

async function negotiatedFor(version: string): Promise<string | null> {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const { promise: answered, resolve: onmessage } = Promise.withResolvers<JSONRPCMessage>();
  Object.assign(ours, { onmessage });
  const handle = serveStdio(() => new Server(CLIENT), { transport: theirs });
  try {
    await ours.start();
    await ours.send(openingFor(version));
    const answer = await answered;
    return isJSONRPCResultResponse(answer) ? revisionIn(answer.result, version) : null;
  } finally {
    await handle.close();
  }
}

function openingFor(version: string): JSONRPCMessage {
  if (version < FIRST_WITHOUT_HANDSHAKE) {
    return { jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: version, capabilities: {}, clientInfo: CLIENT } };
  }
  const envelope = {
    "io.modelcontextprotocol/protocolVersion": version,
    "io.modelcontextprotocol/clientInfo": CLIENT,
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  return { jsonrpc: "2.0", id: 1, method: "server/discover", params: { _meta: envelope } };
}

function revisionIn({ protocolVersion, supportedVersions }: Readonly<Record<string, unknown>>, asked: string): string {
  const known = Array.isArray(supportedVersions) && supportedVersions.includes(asked);
  return known ? asked : String(protocolVersion);
}
