import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { readProcess } from "@slipway/kernel/host/sandbox/process-table";

const PARENTS = new Set(["bwrap", "perl", "node", "MainThread"]);
/** Counted in sleeps and not by a clock: after a stall of the machine there is still time. */
const GONE_WITHIN_MS = 30_000;
const LOOK_MS = 50;

/** The processes of the list that do not end by themselves. */
export async function lasting(list: () => readonly number[]): Promise<readonly number[]> {
  let left = list();
  for (let waited = 0; left.length > 0 && waited < GONE_WITHIN_MS; waited += LOOK_MS) {
    await sleep(LOOK_MS);
    left = list();
  }
  return left;
}

/** Sandboxes and launchers whose starter is dead. They may only outlive it to kill others, and must then end. */
export async function orphans(): Promise<string[]> {
  return (await lasting(listed)).map((pid) => `process ${pid} (${nameOf(pid)}) has outlived its starter`);
}

/** A reader of objects ends when its pipe closes, which may be a moment after the process that started it. */
export async function workingIn(folder: string): Promise<string[]> {
  const pids = await lasting(() => processesIn(folder));
  return pids.map((pid) => `process ${pid} (${nameOf(pid)}) still works in the repository`);
}

function processesIn(folder: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && name !== String(process.pid))
    .map(Number)
    .filter((pid) => workingFolder(pid).startsWith(folder));
}

function workingFolder(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return "";
  }
}

function listed(): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => isOurs(pid) && isOrphan(pid));
}

function isOrphan(pid: number): boolean {
  const entry = readProcess(pid);
  return entry !== null && !entry.dead && !PARENTS.has(nameOf(entry.parent));
}

function isOurs(pid: number): boolean {
  return nameOf(pid) === "bwrap" || textOf(pid, "cmdline").endsWith("\0slipway-launcher\0");
}

export function nameOf(pid: number): string {
  return textOf(pid, "comm").trim();
}

function textOf(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "latin1");
  } catch {
    return "";
  }
}
