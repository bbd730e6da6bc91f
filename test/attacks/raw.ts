import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { ActorRole } from "@slipway/kernel/config/rbac";
import { PROGRAM } from "slipway/testing/program";
import { onTestFinished } from "vitest";
import type { Yard } from "./yard.ts";

export interface RawAnswer {
  readonly id?: number | null;
  readonly result?: {
    readonly structuredContent?: {
      readonly ok: boolean;
      readonly data?: { readonly state?: { readonly version: number } };
      readonly error?: { readonly code: string };
    };
    readonly isError?: boolean;
  };
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** The same server, with raw bytes that no proper client would send. */
export interface RawCaller {
  /** Sends one line unchanged; resolves with the next message of the server, or null if it disconnects. */
  line(text: string): Promise<RawAnswer | null>;
  /** A call whose arguments are given as text. */
  call(tool: string, argumentsText: string): Promise<RawAnswer | null>;
}

export async function connectRaw(yard: Yard, role: ActorRole): Promise<RawCaller> {
  const child = spawn(process.execPath, [...PROGRAM, "mcp", "--role", role], {
    cwd: yard.root,
    env: { ...yard.env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  onTestFinished(async () => {
    child.stdin.end();
    if (child.exitCode === null && child.signalCode === null) await once(child, "close");
  });
  return callerOf(child);
}

/** A client of a running server. */
export async function callerOf(child: ChildProcessWithoutNullStreams): Promise<RawCaller> {
  const closed = new Promise<null>((resolve) => child.once("close", () => resolve(null)));
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
