import { spawn } from "node:child_process";
import type { AgentProcess, AgentProcessEnd } from "../process/contract.ts";

const KEPT_STDERR = 16 * 1024;

/** Runs an agent's process without the sandbox, for tests of its input and output. */
export function plainProcess(folder: string): (agent: AgentProcess) => Promise<AgentProcessEnd> {
  return async ({ command: [program = "", ...args], env, input, home, timeoutMs, signal, onStdout, maxOutputBytes = Infinity }) => {
    signal.throwIfAborted();
    const started = performance.now();
    const child = spawn(program, args, { cwd: folder, env: { ...env, HOME: home }, detached: true, stdio: ["pipe", "pipe", "pipe"] });
    const killGroup = () => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
      } catch {
        // The group has ended already.
      }
    };
    let stopped: { kind: "timeout" } | { kind: "flood"; limitBytes: number } | null = null;
    const stop = (end: typeof stopped) => {
      stopped ??= end;
      killGroup();
    };
    const onAbort = () => stop(null);
    signal.addEventListener("abort", onAbort, { once: true });
    const timer = setTimeout(() => stop({ kind: "timeout" }), timeoutMs);
    let bytes = 0;
    child.stdout.on("data", (chunk: Buffer) => {
      bytes += chunk.byteLength;
      if (bytes > maxOutputBytes) stop({ kind: "flood", limitBytes: maxOutputBytes });
      else if (stopped === null) onStdout(chunk);
    });
    let stderr = Buffer.alloc(0);
    child.stderr.on("data", (chunk: Buffer) => (stderr = Buffer.concat([stderr, chunk]).subarray(-KEPT_STDERR)));
    child.stdin.on("error", () => undefined);
    if (typeof input === "string") child.stdin.end(input);
    else void pump(input, child.stdin);
    const end = await new Promise<Outcome>((resolve) => {
      child.on("error", (error) => resolve({ kind: "not_started", reason: `could not be started: ${error.message}` }));
      child.on("exit", killGroup);
      child.on("close", (exitCode, endedBy) =>
        resolve(stopped ?? (exitCode === null ? { kind: "signal", signal: String(endedBy) } : { kind: "exit", exitCode })),
      );
    });
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
    signal.throwIfAborted();
    return { ...end, stderr: stderr.toString("utf8"), durationMs: performance.now() - started };
  };
}

type Outcome = AgentProcessEnd extends infer E ? (E extends unknown ? Omit<E, "stderr" | "durationMs"> : never) : never;

async function pump(input: ReadableStream<Uint8Array>, stdin: NodeJS.WritableStream): Promise<void> {
  for await (const chunk of input) if (!stdin.write(chunk)) await new Promise((resolve) => stdin.once("drain", resolve));
  stdin.end();
}
