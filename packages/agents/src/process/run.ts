import { constants } from "node:os";
import type { ProcessOutcome, Sandbox } from "@slipway/kernel/host/sandbox/contract";
import type { HostTraffic } from "@slipway/kernel/host/sandbox/egress";
import { KEPT_STDERR_BYTES } from "../command.ts";
import type { AgentProcess, AgentProcessEnd } from "./contract.ts";

/** The pack as the process sees it. */
export interface PackView {
  readonly folder: string;
  /** Folders of the pack whose access differs from their parent's; "." is the pack itself. */
  readonly access?: readonly { readonly path: string; readonly writable: boolean }[];
  /** Further host paths, mounted read-only at the same path, also inside the pack. */
  readonly readOnly?: readonly string[];
  readonly shared?: readonly { readonly from: string; readonly to: string }[];
}

/** Receives what the process sent to which host. */
export type OnTraffic = (traffic: readonly HostTraffic[]) => void | Promise<void>;

/** Enough for any transcript; a client that exceeds it is stopped. */
const MAX_OUTPUT_BYTES = 1024 ** 3;

/** Runs one process of a coding agent in the sandbox. When the promise settles, no process of it is left. */
export async function runAgentProcess(
  sandbox: Sandbox,
  view: PackView,
  agent: AgentProcess,
  onTraffic?: OnTraffic,
): Promise<AgentProcessEnd> {
  agent.signal.throwIfAborted();
  const limitBytes = agent.maxOutputBytes ?? MAX_OUTPUT_BYTES;
  let stderr = Buffer.alloc(0);
  const outcome = await sandbox.run({
    worktree: view.folder,
    folders: view.access ?? [],
    shared: view.shared ?? [],
    git: "none",
    command: agent.command,
    env: agent.env,
    home: agent.home,
    input: agent.input,
    hosts: agent.hosts,
    readOnly: [...agent.programs, ...(view.readOnly ?? [])],
    limits: { outputBytes: limitBytes },
    timeoutMs: agent.timeoutMs,
    signal: agent.signal,
    onOutput: (stream, chunk) => {
      if (stream === "stdout") agent.onStdout(chunk);
      else stderr = Buffer.concat([stderr, chunk]).subarray(-KEPT_STDERR_BYTES);
    },
  });
  if (outcome.traffic !== undefined) await onTraffic?.(outcome.traffic);
  if (outcome.aborted) agent.signal.throwIfAborted();
  return { ...endOf(outcome, limitBytes), stderr: stderr.toString("utf8"), durationMs: outcome.durationMs };
}

type End = AgentProcessEnd extends infer E ? (E extends unknown ? Omit<E, "stderr" | "durationMs"> : never) : never;

function endOf({ spawnError, timedOut, limit, signal, exitCode }: ProcessOutcome, limitBytes: number): End {
  if (spawnError !== undefined) return { kind: "not_started", reason: spawnError.message };
  if (timedOut) return { kind: "timeout" };
  if (limit === "output") return { kind: "flood", limitBytes };
  if (limit !== null) return { kind: "limit", limit };
  const killedBy = signal ?? signalIn(exitCode);
  return killedBy === null ? { kind: "exit", exitCode: exitCode ?? -1 } : { kind: "signal", signal: killedBy };
}

/** The sandbox reports a signal as exit code 128 plus its number, like a shell. */
function signalIn(exitCode: number | null): string | null {
  const number = (exitCode ?? 0) - 128;
  return Object.entries(constants.signals).find(([, value]) => value === number)?.[0] ?? null;
}
