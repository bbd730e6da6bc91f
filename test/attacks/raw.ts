import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { ActorRole } from "@slipway/kernel/config/rbac";
import { onTestFinished } from "vitest";
import { PROGRAM } from "./server.ts";
import type { Yard } from "./yard.ts";

export interface RawAnswer {
  readonly id?: number | null;
  readonly result?: {
    readonly structuredContent?: { readonly ok: boolean; readonly error?: { readonly code: string } };
    readonly isError?: boolean;
  };
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** The same server, spoken to byte by byte: what no proper client would send. */
export interface RawCaller {
  /** One line as it is; resolves with the next message the server writes, or null when it hangs up instead. */
  line(text: string): Promise<RawAnswer | null>;
  /** A call whose arguments are given as text. */
  call(tool: string, argumentsText: string): Promise<RawAnswer | null>;
}

export async function connectRaw(yard: Yard, role: ActorRole): Promise<RawCaller> {
  const child = spawn(process.execPath, [PROGRAM, "mcp", "--role", role], {
    cwd: yard.root,
    env: { ...yard.env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  const closed = new Promise<null>((resolve) => child.once("close", () => resolve(null)));
  onTestFinished(async () => {
    child.stdin.end();
    await closed;
  });
  child.stdin.on("error", () => undefined);
  const waiting: ((answer: RawAnswer) => void)[] = [];
  createInterface({ input: child.stdout }).on("line", (text) => waiting.shift()?.(JSON.parse(text) as RawAnswer));
  let id = 0;
  const line = (text: string) => {
    const { promise, resolve } = Promise.withResolvers<RawAnswer>();
    waiting.push(resolve);
    child.stdin.write(`${text}\n`);
    return Promise.race([promise, closed]);
  };
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1.0.0" } };
  await line(JSON.stringify({ jsonrpc: "2.0", id: ++id, method: "initialize", params }));
  child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`);
  return {
    line,
    call: (tool, argumentsText) =>
      line(`{"jsonrpc":"2.0","id":${++id},"method":"tools/call","params":{"name":${JSON.stringify(tool)},"arguments":${argumentsText}}}`),
  };
}
