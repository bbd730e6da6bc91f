import { accessSync, constants, readdirSync, readFileSync, rmdirSync } from "node:fs";
import { dirname, join } from "node:path";

export type Controller = "memory" | "pids";

/** A folder of cgroupfs in which this process may make groups with limits of these controllers. */
export interface GroupPlace {
  readonly version: 1 | 2;
  readonly folder: string;
  readonly controllers: readonly Controller[];
}

const CONTROLLERS: readonly Controller[] = ["memory", "pids"];
export const GROUP_PREFIX = "slipway-";

/** The texts of `/proc/self/mountinfo` and `/proc/self/cgroup`. */
export interface OwnGroups {
  readonly mounts: string;
  readonly groups: string;
}

/** Where groups may be made, and each controller at most once; empty where the machine does not allow it. */
export function findGroupPlaces(own: OwnGroups = readOwnGroups()): GroupPlace[] {
  const places = candidatePlaces(own).flatMap((candidates) => candidates.find(isUsable) ?? []);
  for (const { folder } of places) removeAbandonedGroups(folder);
  return places;
}

/** For each controller or hierarchy its candidate folders, best first. */
export function candidatePlaces({ mounts, groups }: OwnGroups): GroupPlace[][] {
  const paths = new Map(groups.split("\n").flatMap((line) => groupPath(line)));
  const mounted = mounts.split("\n").flatMap((line) => mountOf(line));
  const first = CONTROLLERS.flatMap((controller) => {
    const mount = mounted.find(({ type, options }) => type === "cgroup" && options.includes(controller));
    const path = paths.get(controller);
    return mount === undefined || path === undefined
      ? []
      : [[{ version: 1 as const, folder: below(mount, path), controllers: [controller] }]];
  });
  const unified = mounted.find(({ type }) => type === "cgroup2");
  const path = paths.get("");
  if (first.length > 0 || unified === undefined || path === undefined) return first;
  // A group with processes of its own gives controllers to no child, so ours stands beside it, in the nearest group above that may.
  const own = below(unified, path);
  return [ancestorsOf(own, unified.point).map((folder) => ({ version: 2, folder, controllers: givenControllers(folder) }))];
}

interface Mount {
  readonly root: string;
  readonly point: string;
  readonly type: string;
  readonly options: readonly string[];
}

/** A line such as `31 24 0:27 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids`. */
function mountOf(line: string): Mount[] {
  const [before = "", after = ""] = line.split(" - ");
  const [, , , root, point] = before.split(" ");
  const [type = "", , options = ""] = after.split(" ");
  return root === undefined || point === undefined ? [] : [{ root, point, type, options: options.split(",") }];
}

/** A line such as `8:pids:/user.slice` or, of version 2, `0::/user.slice`. */
function groupPath(line: string): [controller: string, path: string][] {
  const [, controllers, path] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
  return controllers === undefined || path === undefined ? [] : controllers.split(",").map((name) => [name, path]);
}

function below({ root, point }: Mount, path: string): string {
  const inside = root === "/" || !path.startsWith(root) ? path : path.slice(root.length);
  return inside === "/" ? point : join(point, inside);
}

function ancestorsOf(folder: string, top: string): string[] {
  const found: string[] = [];
  for (let at = dirname(folder); at.length >= top.length; at = dirname(at)) found.push(at);
  return found.length === 0 ? [folder] : found;
}

function givenControllers(folder: string): Controller[] {
  const given = new Set(readText(join(folder, "cgroup.subtree_control")).trim().split(/\s+/));
  return CONTROLLERS.filter((name) => given.has(name));
}

function isUsable({ folder, controllers }: GroupPlace): boolean {
  return controllers.length > 0 && isWritable(folder) && isWritable(join(folder, "cgroup.procs"));
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Groups of a Slipway that was killed. A group with processes cannot be removed. */
function removeAbandonedGroups(folder: string): void {
  for (const name of readdirSync(folder)) {
    const [, pid] = new RegExp(`^${GROUP_PREFIX}(\\d+)-`).exec(name) ?? [];
    if (pid !== undefined && !isAlive(Number(pid))) removeGroup(join(folder, name));
  }
}

/** Whether the group is gone. */
export function removeGroup(folder: string): boolean {
  try {
    rmdirSync(folder);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT";
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function readOwnGroups(): OwnGroups {
  return { mounts: readText("/proc/self/mountinfo"), groups: readText("/proc/self/cgroup") };
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
