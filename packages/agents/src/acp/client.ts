import {
  client,
  methods,
  RequestError,
  type ClientConnection,
  type RequestPermissionRequest,
  type Stream,
} from "@agentclientprotocol/sdk/unstable";
import { visible } from "@slipway/kernel/paths/paths";
import type { AgentEvent, Workplace } from "../provider.ts";
import type { NativeTool } from "../tools/native-tools.ts";
import type { Stop } from "./failures.ts";
import { packFiles } from "./files.ts";
import { packPath } from "./folder-path.ts";
import { judge, outcomeFor, pathsIn, type PackRights } from "./permissions.ts";

export interface ClientSide {
  readonly workplace: Workplace;
  readonly tools: readonly NativeTool[];
  readonly onEvent: (event: AgentEvent) => void;
  readonly stop: (why: Stop) => void;
}

/** An agent that asks more often is stuck. */
const MAX_PERMISSION_REQUESTS = 500;

/** The client side of the protocol: permission requests are decided by rules, files come from the pack, and there is no terminal. */
export function connectClient(stream: Stream, { workplace, tools, onEvent, stop }: ClientSide): ClientConnection {
  const files = packFiles(workplace, tools, onEvent);
  let asked = 0;

  function permission({ toolCall, options }: RequestPermissionRequest) {
    if (++asked > MAX_PERMISSION_REQUESTS) stop({ kind: "permissions", asked: MAX_PERMISSION_REQUESTS });
    const paths = pathsIn(toolCall).map((path) => packPath(workplace.folder, path));
    const verdict = judge({ kind: toolCall.kind ?? "other", paths }, rightsOf(workplace), tools);
    const wish = { tool: toolCall.name ?? toolCall.title ?? null, kind: toolCall.kind ?? null, paths };
    const output = `${verdict.allowed ? "allowed" : "rejected"}: ${verdict.reason}`;
    onEvent({ kind: "tool", name: "permission", input: wish, output, ok: verdict.allowed, duration_ms: 0 });
    if (!verdict.allowed) {
      // Its own words, because the path may be outside the pack.
      const [path = null] = pathsIn(toolCall);
      onEvent({ kind: "refused", tool: wish.tool ?? wish.kind ?? "permission", path: paths[0] ?? path, reason: verdict.reason });
    }
    return { outcome: outcomeFor(verdict, options) };
  }

  return client({ name: "slipway" })
    .onRequest(methods.client.session.requestPermission, ({ params }) => permission(params))
    .onRequest(methods.client.fs.readTextFile, ({ params }) => files.read(params))
    .onRequest(methods.client.fs.writeTextFile, ({ params }) => files.write(params))
    .onRequest("*", ({ method }) => {
      onEvent({
        kind: "tool",
        name: visible(method),
        input: {},
        output: "refused: not supported",
        ok: false,
        duration_ms: 0,
      });
      throw RequestError.methodNotFound(method);
    })
    .connect(stream);
}

/** The pack's own rules, if it has any. The sandbox and the check of the changes enforce them as well. */
function rightsOf({ tree }: Workplace): PackRights {
  const of = (path: string) => (path === "" || tree.permission === undefined ? "write" : tree.permission(path));
  return { mayRead: (path) => of(path) !== null, mayWrite: (path) => of(path) === "write" };
}
