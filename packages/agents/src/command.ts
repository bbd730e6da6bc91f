import { spawn, type ChildProcessByStdio } from "node:child_process";
import { existsSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { hasCode } from "@slipway/kernel/files/file-system";

export interface Command {
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly input: string;
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
  readonly signal: AbortSignal;
  /** Gets what it writes as it comes; `stdout` at the end is empty then. */
  readonly onStdout?: (chunk: Uint8Array) => void;
}

/** How a command ended; being stopped through the signal is thrown instead. */
export type CommandEnd = { readonly stderr: string } & (
  | { readonly kind: "not_started"; readonly reason: string }
  | { readonly kind: "timeout"; readonly afterMs: number }
  | { readonly kind: "flood"; readonly limitBytes: number }
  | { readonly kind: "signal"; readonly signal: string; readonly stdout: string }
  | { readonly kind: "exit"; readonly exitCode: number; readonly stdout: string }
);

export const KEPT_STDERR_BYTES = 16 * 1024;
/** How long a process that left the group may hold the pipes open after the command itself has ended. */
const DRAIN_MS = 1000;

/** Runs one command in a process group of its own; when this settles, the group is dead. */
export async function runCommand(command: Command): Promise<CommandEnd> {
  command.signal.throwIfAborted();
  const child = await start(command);
  if (child instanceof Error) return { kind: "not_started", reason: startProblem(child, command), stderr: "" };
  const stderr = tail(child.stderr);
  const end = await ended(child, command);
  command.signal.throwIfAborted();
  return { ...end, stderr: stderr() };
}

type Child = ChildProcessByStdio<Writable, Readable, Readable> & { readonly pid: number };

/** Some failures to start are thrown and some are events. */
function start({ command: [program = "", ...parameters], env, cwd }: Command): Promise<Child | Error> {
  return new Promise((resolve) => {
    try {
      const child = spawn(program, parameters, { env, cwd, detached: true, stdio: ["pipe", "pipe", "pipe"] });
      child.on("error", resolve);
      if (hasStarted(child)) resolve(child);
    } catch (error) {
      resolve(error instanceof Error ? error : new Error(String(error)));
    }
  });
}

function hasStarted(child: ChildProcessByStdio<Writable, Readable, Readable>): child is Child {
  return child.pid !== undefined;
}

type End = CommandEnd extends infer E ? (E extends unknown ? Omit<E, "stderr"> : never) : never;

function ended(child: Child, { input, timeoutMs, maxOutputBytes, signal, onStdout }: Command): Promise<End> {
  const kill = () => killGroup(child.pid);
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    let stopped: End | null = null;
    const stop = (end: End | null) => {
      stopped ??= end;
      kill();
    };
    const onAbort = () => stop(null);
    const timer = setTimeout(() => stop({ kind: "timeout", afterMs: timeoutMs }), timeoutMs);
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
    child.stdout.on("data", (chunk: Buffer) => {
      bytes += chunk.byteLength;
      if (bytes > maxOutputBytes) stop({ kind: "flood", limitBytes: maxOutputBytes });
      else if (onStdout !== undefined) onStdout(chunk);
      else chunks.push(chunk);
    });
    // A command that ends without reading its request closes the pipe under us; its exit code says the rest.
    child.stdin.on("error", () => undefined);
    child.stdin.end(input);
    let drain: NodeJS.Timeout | undefined;
    child.on("exit", () => {
      clearTimeout(timer);
      kill();
      drain = setTimeout(() => [child.stdout, child.stderr].forEach((stream) => stream.destroy()), DRAIN_MS);
    });
    child.on("close", (exitCode: number | null, endedBy: string | null) => {
      clearTimeout(drain);
      signal.removeEventListener("abort", onAbort);
      const stdout = Buffer.concat(chunks).toString("utf8");
      resolve(stopped ?? (exitCode === null ? { kind: "signal", signal: String(endedBy), stdout } : { kind: "exit", exitCode, stdout }));
    });
  });
}

/** Everything in the group, and not only the command: wrappers leave children behind. */
function killGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    // ESRCH: the group is gone already, which is what was wanted.
    if (!hasCode(error, "ESRCH", "EPERM")) throw error;
  }
}

function startProblem(error: Error, { command: [program = ""], cwd }: Command): string {
  if (cwd !== undefined && !existsSync(cwd)) return `could not be started: the folder ${cwd} does not exist`;
  if (hasCode(error, "ENOENT")) return `could not be started: there is no program "${program}" on the PATH`;
  if (hasCode(error, "EACCES")) return `could not be started: "${program}" is not an executable file`;
  return `could not be started: ${error.message}`;
}

function tail(stream: Readable): () => string {
  let kept = Buffer.alloc(0);
  stream.on("data", (chunk: Buffer) => (kept = Buffer.concat([kept, chunk]).subarray(-KEPT_STDERR_BYTES)));
  return () => kept.toString("utf8");
}
