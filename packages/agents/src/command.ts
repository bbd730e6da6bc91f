import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { Readable, Writable } from "node:stream";
import { hasCode } from "@slipway/kernel/host/files/file-system";
import type { Child } from "@slipway/kernel/host/launcher/child";
import type { SpawnError } from "@slipway/kernel/host/launcher/protocol";
import { reaped } from "@slipway/kernel/host/launcher/reaper-script";
import { signalProcess, startChild } from "@slipway/kernel/host/launcher/start";
import { findOnPath, isExecutable } from "@slipway/kernel/host/sandbox/host";

export interface Command {
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly input: string;
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
  readonly signal: AbortSignal;
  /** Receives output as it comes; `stdout` of the result is then empty. */
  readonly onStdout?: (chunk: Uint8Array) => void;
}

/** How a command ended; an abort is thrown instead. */
export type CommandEnd = { readonly stderr: string } & (
  | { readonly kind: "not_started"; readonly reason: string }
  | { readonly kind: "timeout"; readonly afterMs: number }
  | { readonly kind: "flood"; readonly limitBytes: number }
  | { readonly kind: "signal"; readonly signal: string; readonly stdout: string }
  | { readonly kind: "exit"; readonly exitCode: number; readonly stdout: string }
);

export const KEPT_STDERR_BYTES = 16 * 1024;
/** How long a process outside the group may keep the pipes open after the command has ended. */
const DRAIN_MS = 1000;
const REAPED_WITHIN_MS = 10_000;

/** Runs one command in its own process group. When the promise settles, the group is dead, and on Linux every process it has started. */
export async function runCommand(command: Command): Promise<CommandEnd> {
  command.signal.throwIfAborted();
  const running = await start(command);
  if ("code" in running) return { kind: "not_started", reason: startProblem(running, command), stderr: "" };
  const stderr = tail(running.stderr);
  const end = await ended(running, command);
  command.signal.throwIfAborted();
  return { ...end, stderr: stderr() };
}

interface Running {
  readonly child: Child;
  readonly pid: number;
  /** It ends all its descendants on SIGTERM. */
  readonly isReaped: boolean;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
}

/** The command ends with this process: an unread answer would still cost money. */
async function start({ command: [file = "", ...args], env, cwd = process.cwd() }: Command): Promise<Running | SpawnError> {
  const perl = process.platform === "linux" ? findOnPath("perl", "/usr/bin") : null;
  // A program that is missing must fail itself.
  const isThere = file.includes("/") ? isExecutable(resolve(cwd, file)) : findOnPath(file, env["PATH"] ?? "") !== null;
  const isReaped = perl !== null && isThere;
  const [program, ...given] = isReaped ? reaped(perl, [file, ...args]) : [file, ...args];
  const started = await startChild({ file: program, args: given, env, cwd, stdio: ["pipe", "pipe", "pipe"], bound: true });
  if ("error" in started) return started.error;
  const { stdin, stdout, stderr } = started.child;
  if (stdin === null || stdout === null || stderr === null) throw new Error("a child that was started with pipes has none");
  return { ...started, isReaped, stdin, stdout, stderr };
}

type End = CommandEnd extends infer E ? (E extends unknown ? Omit<E, "stderr"> : never) : never;

function ended(
  { child, pid, isReaped, stdin, stdout, stderr }: Running,
  { input, timeoutMs, maxOutputBytes, signal, onStdout }: Command,
): Promise<End> {
  const kill = () => killGroup(pid);
  return new Promise((settle) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    let stopped: End | null = null;
    let lastResort: NodeJS.Timeout | undefined;
    const stop = (end: End | null) => {
      stopped ??= end;
      if (!isReaped) return kill();
      signalProcess(pid, "SIGTERM");
      lastResort ??= setTimeout(kill, REAPED_WITHIN_MS);
    };
    const onAbort = () => stop(null);
    const timer = setTimeout(() => stop({ kind: "timeout", afterMs: timeoutMs }), timeoutMs);
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
    stdout.on("data", (chunk: Buffer) => {
      bytes += chunk.byteLength;
      if (bytes > maxOutputBytes) stop({ kind: "flood", limitBytes: maxOutputBytes });
      else if (onStdout !== undefined) onStdout(chunk);
      else chunks.push(chunk);
    });
    // A command that exits without reading stdin causes EPIPE; its exit code tells the rest.
    stdin.on("error", () => undefined);
    stdin.end(input);
    let drain: NodeJS.Timeout | undefined;
    child.on("exit", () => {
      clearTimeout(timer);
      clearTimeout(lastResort);
      kill();
      drain = setTimeout(() => [stdout, stderr].forEach((stream) => stream.destroy()), DRAIN_MS);
    });
    child.on("close", (exitCode: number | null, endedBy: string | null) => {
      clearTimeout(drain);
      signal.removeEventListener("abort", onAbort);
      const output = Buffer.concat(chunks).toString("utf8");
      settle(
        stopped ??
          (exitCode === null ? { kind: "signal", signal: String(endedBy), stdout: output } : { kind: "exit", exitCode, stdout: output }),
      );
    });
  });
}

/** The whole group: wrappers leave children behind. */
function killGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    // ESRCH: the group is gone already.
    if (!hasCode(error, "ESRCH", "EPERM")) throw error;
  }
}

function startProblem({ code, message }: SpawnError, { command: [program = ""], cwd }: Command): string {
  if (cwd !== undefined && !existsSync(cwd)) return `could not be started: the folder ${cwd} does not exist`;
  if (code === "ENOENT") return `could not be started: there is no program "${program}" on the PATH`;
  if (code === "EACCES") return `could not be started: "${program}" is not an executable file`;
  return `could not be started: ${message}`;
}

function tail(stream: Readable): () => string {
  let tail = Buffer.alloc(0);
  stream.on("data", (chunk: Buffer) => (tail = Buffer.concat([tail, chunk]).subarray(-KEPT_STDERR_BYTES)));
  return () => tail.toString("utf8");
}
