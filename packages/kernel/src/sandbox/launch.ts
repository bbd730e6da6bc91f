import { spawn, type ChildProcess } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import type { SandboxFile } from "./arguments.ts";
import type { SpawnError } from "./contract.ts";
import { openFile } from "./files.ts";
import { inheritedDescriptors } from "./host.ts";

const TRANSIENT = new Set(["EAGAIN", "ENOMEM", "EMFILE", "ENFILE", "ETXTBSY"]);

export type Launched = { readonly child: ChildProcess; readonly pid: number } | { readonly error: SpawnError };

export interface LaunchOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdio: readonly ("ignore" | "pipe")[];
  /** Opened for the process, on the descriptors after those of `stdio`. */
  readonly files?: readonly SandboxFile[];
}

type Descriptor = "ignore" | "pipe" | number;

/** Starts a process without a shell, in a session of its own; a failure to start is a value. */
export async function launch(file: string, args: readonly string[], { cwd, env, stdio, files = [] }: LaunchOptions): Promise<Launched> {
  const opened: number[] = [];
  let child: ChildProcess;
  try {
    for (const source of files) opened.push(openFile(source));
    const own = [...stdio, ...opened];
    const nothing = openSync("/dev/null", "r");
    opened.push(nothing);
    child = spawn(file, args, { cwd, env, detached: true, shell: false, stdio: coverInherited(own, nothing) });
  } catch (error) {
    return { error: toSpawnError(error) };
  } finally {
    for (const descriptor of opened) closeSync(descriptor);
  }
  // The pipes must be read from the first moment, so a started process is not waited for.
  if (child.pid !== undefined) return { child, pid: child.pid };
  return new Promise((resolve) => child.once("error", (error) => resolve({ error: toSpawnError(error) })));
}

let knownInherited: readonly number[] | null = null;

function inherited(): readonly number[] {
  knownInherited ??= inheritedDescriptors();
  return knownInherited;
}

/** Above the first three, "ignore" leaves a descriptor as it is; only another one in its place takes it away. */
function coverInherited(stdio: readonly Descriptor[], nothing: number): Descriptor[] {
  const covered = [...stdio];
  for (const descriptor of inherited()) {
    while (covered.length <= descriptor) covered.push("ignore");
    if (descriptor >= stdio.length) covered[descriptor] = nothing;
  }
  return covered;
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
