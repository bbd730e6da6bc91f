import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { ProcessOutcome } from "@slipway/kernel/host/sandbox/contract";
import type { ToolRun } from "../adapter.ts";
import { programsOf, type LanguageMachine } from "./machine.ts";

export interface ToolCommand extends ToolRun {
  readonly machine: LanguageMachine;
  /** The copy of the project, which the command may change. */
  readonly folder: string;
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Programs that the command starts, if the sandbox must show more for them. */
  readonly starts?: readonly string[];
  readonly readOnly?: readonly string[];
  /** Only for tools that compare dependencies with a public database. */
  readonly network?: boolean;
  /** The name of a folder in the cache that becomes HOME. Only for compilers. */
  readonly keeps?: string;
}

export interface ToolOutcome extends ProcessOutcome {
  readonly stdout: string;
  readonly stderr: string;
}

export const TOOL_TIMEOUT_MS = 120_000;
const OUTPUT_BYTES = 16 * 1024 ** 2;

/** Runs a compiler, a test or another program of a toolchain in the sandbox. */
export async function runTool(tool: ToolCommand): Promise<ToolOutcome> {
  const {
    machine,
    sandbox,
    folder,
    command,
    env = {},
    starts = [],
    readOnly = [],
    keeps,
    network = false,
    timeoutMs = TOOL_TIMEOUT_MS,
    signal,
  } = tool;
  const programs = await programsOf(machine);
  const chunks: Record<"stdout" | "stderr", Uint8Array[]> = { stdout: [], stderr: [] };
  const home = keeps === undefined || machine.cache === undefined ? null : join(machine.cache, keeps);
  if (home !== null) mkdirSync(home, { recursive: true });
  const outcome = await sandbox.run({
    worktree: folder,
    git: "none",
    command,
    env: { PATH: programs.path, LC_ALL: "C.UTF-8", ...env },
    readOnly: [...new Set([...[command[0] ?? "", ...starts].flatMap((name) => programs.shownFor(name)), ...readOnly])],
    network,
    ...(home === null ? {} : { home }),
    limits: { outputBytes: OUTPUT_BYTES },
    timeoutMs,
    onOutput: (stream, chunk) => void chunks[stream].push(chunk),
    ...(signal === undefined ? {} : { signal }),
  });
  signal?.throwIfAborted();
  const text = (name: "stdout" | "stderr") => Buffer.concat(chunks[name]).toString("utf8").replaceAll(`${folder}/`, "");
  return { ...outcome, stdout: text("stdout"), stderr: text("stderr") };
}

/** Why a command gave no answer of its own; null if it ended by itself. */
export function whyStopped({ timedOut, limit, spawnError, signal }: ProcessOutcome, what: string): string | null {
  if (spawnError !== undefined) return `${what} could not be started: ${spawnError.message}`;
  if (timedOut) return `${what} did not end in time`;
  if (limit !== null) return `${what} used more than the sandbox allows: ${limit}`;
  return signal === null ? null : `${what} was ended by ${signal}`;
}
