import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { ActorRole } from "@slipway/kernel/config/rbac";
import type { ToolEnvelope, FailureEnvelope } from "@slipway/kernel/tools/envelope";
import { PROGRAM } from "slipway/testing/program";
import { expect } from "vitest";
import { asUser } from "./ordinary-user.ts";
import type { Yard } from "./yard.ts";

/** The gates of some attacks run until a limit ends them. */
const PATIENCE_MS = 110_000;

type Input = Readonly<Record<string, unknown>>;

/** A client of `slipway mcp`, which runs as a separate process in the yard's repository. */
export interface Caller {
  readonly role: ActorRole;
  readonly pid: number;
  /** The server's standard error. */
  stderr(): string;
  call(tool: string, input: Input): Promise<ToolEnvelope>;
  /** The data of a call that must succeed. */
  ok<T = Record<string, unknown>>(tool: string, input: Input): Promise<T>;
  /** The error of a call that must fail. */
  refused(tool: string, input: Input): Promise<FailureEnvelope["error"]>;
  close(): Promise<void>;
}

export interface ConnectOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export async function connect(yard: Yard, role: ActorRole, { args = [], env = {} }: ConnectOptions = {}): Promise<Caller> {
  const server = [process.execPath, ...PROGRAM, "mcp", "--role", role, ...args] as const;
  const [command, ...rest] = yard.user === undefined ? server : asUser(yard.user, server);
  const transport = new StdioClientTransport({
    command,
    args: rest,
    env: { ...yard.env, ...env },
    cwd: yard.root,
    stderr: "pipe",
  });
  let stderr = "";
  transport.stderr?.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  const client = new Client({ name: `attack-${role}`, version: "1.0.0" });
  await client.connect(transport).catch((error: unknown) => {
    throw new Error(`the server did not start: ${stderr}`, { cause: error });
  });
  const call = async (name: string, input: Input): Promise<ToolEnvelope> => {
    const params = { name, arguments: { actor_type: role, actor_id: `${role}-1`, ...input } };
    const { structuredContent } = await client.callTool(params, { timeout: PATIENCE_MS });
    return structuredContent as unknown as ToolEnvelope;
  };
  return {
    role,
    pid: transport.pid ?? 0,
    stderr: () => stderr,
    call,
    async ok<T>(tool: string, input: Input) {
      const envelope = await call(tool, input);
      if (!envelope.ok) throw new Error(`${tool}: ${JSON.stringify(envelope.error)}`);
      return envelope.data as T;
    },
    async refused(tool, input) {
      const envelope = await call(tool, input);
      if (envelope.ok) expect.unreachable(`${tool} was performed: ${JSON.stringify(envelope.data)}`);
      return (envelope as FailureEnvelope).error;
    },
    close: () => client.close(),
  };
}
