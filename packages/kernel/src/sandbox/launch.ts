import { spawn, type ChildProcess, type SpawnOptions } from "node:child_process";
import type { SpawnError } from "./contract.ts";

const TRANSIENT = new Set(["EAGAIN", "ENOMEM", "EMFILE", "ENFILE", "ETXTBSY"]);

export type Launched = { readonly child: ChildProcess; readonly pid: number } | { readonly error: SpawnError };

/** Starts a process without a shell; a failure to start is a value. */
export async function launch(file: string, args: readonly string[], options: SpawnOptions): Promise<Launched> {
  let child: ChildProcess;
  try {
    child = spawn(file, args, { ...options, shell: false });
  } catch (error) {
    return { error: toSpawnError(error) };
  }
  // The pipes must be read from the first moment, so a started process is not waited for.
  if (child.pid !== undefined) return { child, pid: child.pid };
  return new Promise((resolve) => child.once("error", (error) => resolve({ error: toSpawnError(error) })));
}

function toSpawnError(error: unknown): SpawnError {
  const { code = "UNKNOWN", message } = error as NodeJS.ErrnoException;
  return { code, message, transient: isTransient(code) };
}

export function isTransient(code: string): boolean {
  return TRANSIENT.has(code);
}

export function signalProcess(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    // Already gone, or by now somebody else's.
    if (!["ESRCH", "EPERM"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  }
}
