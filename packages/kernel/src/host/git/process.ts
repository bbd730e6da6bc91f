import type { Child } from "../launcher/child.ts";
import { startChild } from "../launcher/start.ts";

export interface ProcessRequest {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly input?: Uint8Array | string | undefined;
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
  readonly signal?: AbortSignal | undefined;
  /** A process that was prestarted with the same file, arguments and environment, and waits for input. */
  readonly started?: Child | undefined;
}

export interface GitOutcome {
  readonly stdout: Buffer;
  /** The first 64 KiB. */
  readonly stderr: string;
  /** -1 if the process was killed. */
  readonly exitCode: number;
  readonly stopped?: "timeout" | "aborted" | "too_much_output";
  /** The signal that ended it. */
  readonly signal?: NodeJS.Signals;
}

const MAX_STDERR_BYTES = 65_536;
/** Time for git to remove its lock files after SIGTERM; then it is killed. */
const GRACE_MS = 2_000;

/** Runs a program in its own process group, so that a timeout ends its children too. Rejects only if it cannot be started. */
export async function runProcess(request: ProcessRequest): Promise<GitOutcome> {
  const child = request.started ?? (await startProcess(request));
  const { promise, resolve, reject } = Promise.withResolvers<GitOutcome>();
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  let stdoutBytes = 0;
  let stderrBytes = 0;
  let stopped: GitOutcome["stopped"];
  let killTimer: NodeJS.Timeout | undefined;

  const stop = (reason: NonNullable<GitOutcome["stopped"]>) => {
    if (stopped !== undefined) return;
    stopped = reason;
    killGroup(child, "SIGTERM");
    killTimer = setTimeout(() => killGroup(child, "SIGKILL"), GRACE_MS);
  };
  const timer = setTimeout(() => stop("timeout"), request.timeoutMs);
  const onAbort = () => stop("aborted");
  request.signal?.addEventListener("abort", onAbort, { once: true });
  if (request.signal?.aborted === true) onAbort();
  const release = () => {
    clearTimeout(timer);
    clearTimeout(killTimer);
    request.signal?.removeEventListener("abort", onAbort);
  };

  child.stdout?.on("data", (chunk: Buffer) => {
    stdoutBytes += chunk.length;
    if (stdoutBytes > request.maxOutputBytes) stop("too_much_output");
    else stdout.push(chunk);
  });
  child.stderr?.on("data", (chunk: Buffer) => {
    if (stderrBytes < MAX_STDERR_BYTES) stderr.push(chunk.subarray(0, MAX_STDERR_BYTES - stderrBytes));
    stderrBytes += chunk.length;
  });
  child.on("error", (error) => {
    release();
    reject(error);
  });
  child.on("close", (code, signal) => {
    release();
    resolve({
      stdout: Buffer.concat(stdout),
      stderr: Buffer.concat(stderr).toString("utf8"),
      exitCode: code ?? -1,
      ...(stopped === undefined ? {} : { stopped }),
      ...(signal === null ? {} : { signal }),
    });
  });
  child.stdin?.end(request.input ?? "");
  return promise;
}

/** Rejects if it cannot be started. */
export async function startProcess({ file, args, cwd, env }: Pick<ProcessRequest, "file" | "args" | "cwd" | "env">): Promise<Child> {
  const started = await startChild({ file, args, cwd, env, stdio: ["pipe", "pipe", "pipe"] });
  if ("error" in started) throw Object.assign(new Error(started.error.message), { code: started.error.code });
  // A program may end without reading its input; its exit code counts.
  started.child.stdin?.on("error", () => undefined);
  return started.child;
}

export function killGroup(child: Child, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // The group has already ended.
  }
}
