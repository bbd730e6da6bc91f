import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";
import type { Project } from "./project.ts";

export interface Envelope {
  readonly ok: boolean;
  readonly data?: { readonly state?: { readonly version: number } };
  readonly error?: { readonly code: string; readonly message: string; readonly details: Readonly<Record<string, unknown>> };
}

/** `slipway mcp` as a child process, with its tools as functions. */
export function serve(project: Project, ...args: string[]) {
  const launch = join(import.meta.dirname, "launch.ts");
  const command = ["--conditions=slipway-source", "--disable-warning=ExperimentalWarning", launch, "mcp", ...args];
  const child = spawn(process.execPath, command, { cwd: project.root, env: project.env });
  const ended = new Promise((resolve) => child.on("close", resolve));
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let id = 0;
  const ask = async (method: string, params: object) => {
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: (id += 1), method, params })}\n`);
    const { value } = (await answers.next()) as { value: string };
    return (JSON.parse(value) as { result: { structuredContent: Envelope } }).result;
  };
  const hello = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } };
  const ready = ask("initialize", hello);
  return async (name: string, given: object): Promise<Envelope> => {
    await ready;
    return (await ask("tools/call", { name, arguments: given })).structuredContent;
  };
}
