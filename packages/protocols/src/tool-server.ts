import type { AnyTool } from "@slipway/kernel/tools/tool";

/** An MCP server of a protocol, with tools of its own and no others: `slipway mcp --server NAME`. */
export interface ToolServerEntry {
  readonly name: string;
  readonly summary: string;
  /** The text that a model reads before its first call. */
  readonly instructions: string;
  /** Roles that `--role` may name here. Each of them may call less than a server without a role allows. */
  readonly roles: readonly string[];
  /** The tools for one session. Throws where the session cannot be served. */
  readonly load: (session: ServerSession) => Promise<readonly AnyTool[]>;
}

/** What the person who starts the server has chosen. Null is no choice. */
export interface ServerSession {
  /** One of the server's roles. */
  readonly role: string | null;
  /** The only function that a role limited to one may work on. */
  readonly function: string | null;
  /** A branch to work on instead of the base. */
  readonly ref: string | null;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export const OPEN_SESSION: ServerSession = { role: null, function: null, ref: null, env: {} };
