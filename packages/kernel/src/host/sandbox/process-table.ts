import { readdirSync, readFileSync } from "node:fs";

export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly session: number;
  /** Clock ticks since boot; pid and start together identify a process. */
  readonly start: string;
  readonly dead: boolean;
  readonly threads: number;
  readonly residentPages: number;
}

/** Null without such a process or without /proc. */
export function readProcess(pid: number): ProcessEntry | null {
  const stat = readText(`/proc/${pid}/stat`);
  return stat === null ? null : parseStat(stat);
}

/** The name is in parentheses and may itself contain spaces and parentheses. */
export function parseStat(stat: string): ProcessEntry | null {
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state, parent, , session] = fields;
  const threads = fields[17];
  const start = fields[19];
  const pages = fields[21];
  if (state === undefined || start === undefined || pages === undefined || threads === undefined) return null;
  return {
    pid: Number.parseInt(stat, 10),
    parent: Number(parent),
    session: Number(session),
    start,
    dead: state === "Z" || state === "X",
    threads: Number(threads),
    residentPages: Number(pages),
  };
}

export function isSameProcess(known: ProcessEntry): boolean {
  const found = readProcess(known.pid);
  return found !== null && found.start === known.start && !found.dead;
}

/** Lists the processes started after a given one. Pids grow until they wrap around, so most of /proc need not be read. */
export class YoungerProcesses {
  readonly #first: number;
  #lastSeen: number;
  #wrapped = false;

  constructor(first: number) {
    this.#first = first;
    this.#lastSeen = first;
  }

  list(): ProcessEntry[] {
    const newest = newestPid();
    this.#wrapped ||= newest < this.#lastSeen;
    this.#lastSeen = newest;
    // Usually the command that has just ended was the last process to start.
    const pids = newest === this.#first && !this.#wrapped ? [newest] : this.#pids();
    return pids.map((pid) => readProcess(pid)).filter((entry) => entry !== null);
  }

  #pids(): number[] {
    return allPids().filter((pid) => this.#wrapped || pid >= this.#first);
  }
}

/** The root and its descendants, by parent pid. */
export function descendants(entries: readonly ProcessEntry[], isRoot: (entry: ProcessEntry) => boolean): ProcessEntry[] {
  const children = Map.groupBy(entries, (entry) => entry.parent);
  const found = new Map<number, ProcessEntry>();
  const open = entries.filter(isRoot);
  for (let entry = open.pop(); entry !== undefined; entry = open.pop()) {
    if (found.has(entry.pid)) continue;
    found.set(entry.pid, entry);
    open.push(...(children.get(entry.pid) ?? []));
  }
  return [...found.values()];
}

export function hasInEnvironment(pid: number, assignment: string): boolean {
  return readText(`/proc/${pid}/environ`)?.split("\0").includes(assignment) ?? false;
}

/** Whether a living process of the machine has this word among its arguments; a dead one has none. */
export function someProcessNamed(mark: string): boolean {
  return allPids().some((pid) => readText(`/proc/${pid}/cmdline`)?.includes(mark) ?? false);
}

function allPids(): number[] {
  try {
    return readdirSync("/proc").map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

function newestPid(): number {
  return Number(readText("/proc/loadavg")?.trim().split(" ").at(-1) ?? Number.MAX_SAFE_INTEGER);
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return null;
  }
}
