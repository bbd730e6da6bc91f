import { spawn, type ChildProcess } from "node:child_process";
import { closeSync } from "node:fs";
import type { Writable } from "node:stream";
import { openFile } from "./files.ts";
import { coverInherited } from "./inherited-files.ts";
import { isNeeded, isTransient, type SpawnError, type StartRequest } from "./protocol.ts";

type Spawned = { readonly child: ChildProcess; readonly pid: number } | { readonly error: SpawnError };

/** Starts a process without a shell, in its own session, as a child of this one. Returns a failure to start. */
export async function spawnHere({ file, args, cwd, env, stdio, limits = [], prepare = [] }: StartRequest): Promise<Spawned> {
  const [undone] = prepare.find(isNeeded) ?? [];
  if (undone !== undefined)
    return { error: { code: "ENOTSUP", message: `${undone} needs the launcher, which is not available.`, transient: true } };
  const opened: number[] = [];
  let child: ChildProcess;
  try {
    const own = stdio.map((wanted) => {
      if (typeof wanted === "string") return wanted;
      if ("feed" in wanted) return "pipe";
      const descriptor = openFile(wanted);
      opened.push(descriptor);
      return descriptor;
    });
    const [program = file, ...rest] = [...limits, file, ...args];
    child = spawn(program, rest, { cwd, env, detached: true, shell: false, windowsHide: true, stdio: coverInherited(own, opened) });
  } catch (error) {
    return { error: toSpawnError(error) };
  } finally {
    for (const descriptor of opened) closeSync(descriptor);
  }
  const { pid } = child;
  if (pid === undefined) return new Promise((resolve) => child.once("error", (error) => resolve({ error: toSpawnError(error) })));
  for (const [index, wanted] of stdio.entries()) if (typeof wanted === "object" && "feed" in wanted) feed(child.stdio[index], wanted.feed);
  // Return at once, because the caller must read the pipes from the start.
  return { child, pid };
}

function feed(stream: unknown, text: string): void {
  const writable = stream as Writable;
  // The process may end before it has read everything; its status says why.
  writable.on("error", () => undefined);
  writable.end(text);
}

export function toSpawnError(error: unknown): SpawnError {
  const { code = "UNKNOWN", message } = error as NodeJS.ErrnoException;
  return { code, message, transient: isTransient(code) };
}
