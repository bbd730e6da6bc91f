import type { Child } from "../launcher/child.ts";
import { setImmediate as immediate, setTimeout as sleep } from "node:timers/promises";
import { SlipwayError } from "../../schema/errors.ts";
import { DEFAULT_KILL_GRACE_MS, type LimitName, type Limits, type OutputStream, type SandboxRequest } from "./contract.ts";
import { DiskGrowth, writtenFolders } from "./disk.ts";
import type { ProcessEntry } from "./process-table.ts";
import { watch } from "./watch.ts";

/** All processes of one command, however they were started. */
export interface ProcessTree {
  members(): readonly ProcessEntry[];
  /** The bytes of its files in memory. */
  inMemory?(pids: readonly number[]): number;
  /** The limit that the kernel has enforced. */
  exceeded?(): LimitName | null;
  /** Sends SIGTERM to every process. */
  terminate(): void;
  /** Sends SIGKILL to every process. */
  kill(): void;
  gone(): boolean;
  /** Resolves when `gone` can be answered. */
  readonly settled?: Promise<void>;
}

export interface SandboxEnd {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly timedOut: boolean;
  readonly aborted: boolean;
  readonly limit: LimitName | null;
  readonly durationMs: number;
}

type Stop = "timeout" | "abort" | LimitName;

const GONE_WITHIN_MS = 10_000;
const CLOSED_WITHIN_MS = 500;
/** Far longer than a busy machine needs to deliver the last output of an ended process. */
const SETTLED_WITHIN_MS = 10_000;

/** Waits for the end of a started command. When this returns, none of its processes is left. */
export async function supervise(
  child: Child,
  tree: ProcessTree,
  request: SandboxRequest,
  limits: Limits,
  goneWithinMs = GONE_WITHIN_MS,
): Promise<SandboxEnd> {
  const started = performance.now();
  let stop: Stop | null = null;
  let killed = false;
  let graceTimer: NodeJS.Timeout | undefined;

  const kill = () => {
    killed = true;
    tree.kill();
  };
  const stopNow = (limit: LimitName) => {
    stop ??= limit;
    kill();
  };
  const stopPolitely = (reason: "timeout" | "abort") => {
    if (stop !== null) return;
    stop = reason;
    tree.terminate();
    graceTimer = setTimeout(kill, request.killGraceMs ?? DEFAULT_KILL_GRACE_MS);
  };
  const onAbort = () => stopPolitely("abort");

  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const exited = new Promise<[number | null, string | null]>((resolve) => child.once("exit", (code, signal) => resolve([code, signal])));
  countOutput(child, request, limits.outputBytes, () => stopNow("output"));
  const timeoutTimer = setTimeout(() => stopPolitely("timeout"), request.timeoutMs);
  const disks = writtenFolders(request).map((written) => new DiskGrowth(written, limits, Date.now()));
  const endWatch = watch(tree, limits, disks, stopNow);
  request.signal?.addEventListener("abort", onAbort);
  if (request.signal?.aborted === true) onAbort();

  const [exitCode, signal] = await exited;
  const durationMs = performance.now() - started;
  clearTimeout(timeoutTimer);
  clearTimeout(graceTimer);
  endWatch();
  request.signal?.removeEventListener("abort", onAbort);
  await untilSettled(child, tree);
  await untilGone(tree, goneWithinMs);
  await untilClosed(child, closed);
  stop ??= tree.exceeded?.() ?? null;
  // The exit code of a stopped command is not its result.
  const result = stop === null ? { exitCode, signal } : { exitCode: null, signal: killed ? "SIGKILL" : "SIGTERM" };
  return { ...result, durationMs, ...meaning(stop, exitCode, signal) };
}

function meaning(stop: Stop | null, exitCode: number | null, signal: string | null): Pick<SandboxEnd, "timedOut" | "aborted" | "limit"> {
  const limit = stop === "timeout" || stop === "abort" ? null : (stop ?? fileLimit(exitCode, signal));
  return { timedOut: stop === "timeout", aborted: stop === "abort", limit };
}

/** The kernel ends a process that writes beyond RLIMIT_FSIZE with SIGXFSZ; a shell reports that as 128 + 25. */
function fileLimit(exitCode: number | null, signal: string | null): "disk" | null {
  return signal === "SIGXFSZ" || exitCode === 153 ? "disk" : null;
}

/** Output beyond the limit is read and dropped, so that nothing blocks. */
function countOutput(child: Child, request: SandboxRequest, maxBytes: number, onExceeded: () => void): void {
  let bytes = 0;
  const follow = (stream: OutputStream) => (chunk: Buffer) => {
    const allowed = Math.max(0, maxBytes - bytes);
    bytes += chunk.length;
    if (allowed > 0) request.onOutput?.(stream, chunk.length > allowed ? chunk.subarray(0, allowed) : chunk);
    if (bytes > maxBytes) onExceeded();
  };
  child.stdout?.on("data", follow("stdout"));
  child.stderr?.on("data", follow("stderr"));
}

/** Waits for the processes that the ended command left running. */
async function untilGone(tree: ProcessTree, withinMs: number): Promise<void> {
  const started = performance.now();
  for (let waited = 0; !tree.gone(); waited = performance.now() - started) {
    tree.kill();
    if (waited > withinMs) {
      throw new SlipwayError("internal_error", "A process of the command could not be killed; nothing may be written to its worktree.", {
        suggested_next_actions: ["Look for a process in uninterruptible sleep (state D) and restart the machine if it stays."],
      });
    }
    // Usually it takes microseconds.
    await (waited < 2 ? immediate() : sleep(Math.min(waited, 50)));
  }
}

/** Bounded, because a stream that another process holds open never ends. */
async function untilSettled(child: Child, { settled }: ProcessTree): Promise<void> {
  const timer = setTimeout(() => closeStreams(child), SETTLED_WITHIN_MS);
  await settled;
  clearTimeout(timer);
}

/** Without processes the pipes close, unless a process outside holds one. */
async function untilClosed(child: Child, closed: Promise<void>): Promise<void> {
  const timer = setTimeout(() => closeStreams(child), CLOSED_WITHIN_MS);
  await closed;
  clearTimeout(timer);
}

function closeStreams(child: Child): void {
  for (const stream of child.stdio) stream?.destroy();
}
