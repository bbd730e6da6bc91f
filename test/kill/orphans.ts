import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { readProcess } from "@slipway/kernel/host/sandbox/process-table";

const PARENTS = new Set(["bwrap", "perl", "node", "MainThread"]);
/** A process may only outlive Slipway to kill the others, and must then end. */
const GONE_WITHIN_MS = 10_000;

/** Sandboxes and launchers whose starter is dead. */
export async function orphans(): Promise<string[]> {
  for (let waited = 0; waited < GONE_WITHIN_MS && listed().length > 0; waited += 50) await sleep(50);
  return listed().map((pid) => `process ${pid} (${nameOf(pid)}) has outlived its starter`);
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
