import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

/** A minimal client of an MCP server on stdio. */
export interface McpClient {
  call(name: string, args: Readonly<Record<string, unknown>>): Promise<unknown>;
  close(): Promise<void>;
}

interface Message {
  readonly id?: number;
  readonly result?: { readonly isError?: boolean };
  readonly error?: unknown;
}

const PROTOCOL = "2025-11-25";

export async function connect(
  command: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<McpClient> {
  const child = spawn(process.execPath, [...command], { cwd, env: { ...env }, stdio: ["pipe", "pipe", "inherit"] });
  const ended = once(child, "exit");
  const waiting = new Map<number, (message: Message | null) => void>();
  createInterface({ input: child.stdout }).on("line", (line) => {
    const message = JSON.parse(line) as Message;
    if (message.id !== undefined) waiting.get(message.id)?.(message);
  });
  void ended.then(() => waiting.forEach((resolve) => resolve(null)));
  let last = 0;
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

  async function request(method: string, params: object): Promise<unknown> {
    const id = ++last;
    const { promise, resolve } = Promise.withResolvers<Message | null>();
    waiting.set(id, resolve);
    send({ id, method, params });
    const message = await promise;
    waiting.delete(id);
    if (message?.result === undefined || message.result.isError === true) throw new Error(`${method}: ${JSON.stringify(message)}`);
    return message.result;
  }

  await request("initialize", { protocolVersion: PROTOCOL, capabilities: {}, clientInfo: { name: "bench", version: "1.0.0" } });
  send({ method: "notifications/initialized" });
  return {
    call: (name, args) => request("tools/call", { name, arguments: args }),
    async close() {
      child.stdin.end();
      await ended;
    },
  };
}
