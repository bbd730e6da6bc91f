import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { totalmem } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Limits } from "./contract.ts";
import { GROUP_PREFIX, removeGroup, type Controller, type GroupPlace } from "./control-group-place.ts";

/** The limits that the kernel keeps for one command, whatever it does between two looks of the watch. */
export interface ControlGroup {
  /** A process that writes 0 to each of these becomes a member, with all its descendants. */
  readonly joins: readonly string[];
  exceeded(): "memory" | "threads" | null;
  close(): Promise<void>;
}

/** bubblewrap itself, process 1, and what starts the command. */
const OWN_TASKS = 16;
const REMOVED_WITHIN_MS = 1_000;

type Setting = readonly [file: string, value: string];

interface Settings {
  /** Written if the file exists. */
  readonly limits: (limits: Limits) => readonly Setting[];
  /** A file with a line `name count`: how often the limit was met. */
  readonly met: readonly [file: string, name: string];
}

const memoryOf = ({ memoryBytes }: Limits) => String(Math.floor(Math.min(memoryBytes, totalmem() * 0.75)));
const tasksOf = ({ threads }: Limits) => String(threads + OWN_TASKS);

const SETTINGS: Readonly<Record<1 | 2, Readonly<Record<Controller, Settings>>>> = {
  1: {
    memory: {
      // With memsw, swap counts too; the kernel wants the lower limit first.
      limits: (limits) => [
        ["memory.limit_in_bytes", memoryOf(limits)],
        ["memory.memsw.limit_in_bytes", memoryOf(limits)],
      ],
      met: ["memory.oom_control", "oom_kill"],
    },
    pids: { limits: (limits) => [["pids.max", tasksOf(limits)]], met: ["pids.events", "max"] },
  },
  2: {
    memory: {
      limits: (limits) => [
        ["memory.max", memoryOf(limits)],
        ["memory.swap.max", "0"],
        ["memory.oom.group", "1"],
      ],
      met: ["memory.events", "oom_kill"],
    },
    pids: { limits: (limits) => [["pids.max", tasksOf(limits)]], met: ["pids.events", "max"] },
  },
};

/** Null if a group cannot be made after all; the watch counts in any case. */
export function openControlGroup(places: readonly GroupPlace[], limits: Limits): ControlGroup | null {
  const name = `${GROUP_PREFIX}${process.pid}-${randomBytes(6).toString("hex")}`;
  const made: { readonly folder: string; readonly place: GroupPlace }[] = [];
  try {
    for (const place of places) {
      const folder = join(place.folder, name);
      mkdirSync(folder);
      made.push({ folder, place });
      for (const controller of place.controllers) applyLimits(folder, SETTINGS[place.version][controller].limits(limits));
    }
  } catch {
    for (const { folder } of made) removeGroup(folder);
    return null;
  }
  if (made.length === 0) return null;
  const hasMet = (controller: Controller) =>
    made.some(
      ({ folder, place }) => place.controllers.includes(controller) && countIn(folder, SETTINGS[place.version][controller].met) > 0,
    );
  return {
    joins: made.map(({ folder }) => join(folder, "cgroup.procs")),
    exceeded: () => (hasMet("memory") ? "memory" : hasMet("pids") ? "threads" : null),
    close: async () => {
      // A group stays busy until its last process has been reaped.
      const until = performance.now() + REMOVED_WITHIN_MS;
      for (const { folder } of made) while (!removeGroup(folder) && performance.now() < until) await sleep(5);
    },
  };
}

function applyLimits(folder: string, settings: readonly Setting[]): void {
  for (const [file, value] of settings) if (existsSync(join(folder, file))) writeFileSync(join(folder, file), value);
}

function countIn(folder: string, [file, name]: Settings["met"]): number {
  try {
    return Number(new RegExp(`^${name} (\\d+)`, "m").exec(readFileSync(join(folder, file), "utf8"))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
