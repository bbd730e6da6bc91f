import type { PreparationStep } from "../launcher/protocol.ts";
import { lstatSync, statSync } from "node:fs";
import { isBelow, type SandboxPlan } from "./arguments.ts";
import { SYSTEM_ROOTS, type SandboxHost } from "./host.ts";
import { upperOf, workOf } from "./layer.ts";

/** Only in the mount namespace of the launched process. bubblewrap mounts its own folder over it. */
const STAGE_AT = "/tmp";

interface Source {
  readonly from: string;
  readonly writable: boolean;
}

/**
 * If Slipway is root, a command runs as another host user, who owns no files. Its paths are mounted on a stage with
 * idmapped mounts: root's files on disk belong to the command inside, and files that it creates belong to root on disk.
 */
export function stagedSources(plan: SandboxPlan, host: SandboxHost): Source[] {
  if (host.user === null) return [];
  const shown = [
    ...host.roots.filter((path) => !SYSTEM_ROOTS.includes(path)),
    ...[host.bwrap].filter((path) => !SYSTEM_ROOTS.some((root) => path.startsWith(`${root}/`))),
    ...plan.readOnly,
    ...plan.shared.map(({ from }) => from),
    ...(plan.gateway === null ? [] : [plan.gateway]),
    ...(plan.veil === null ? [] : [plan.veil]),
  ];
  const written = [plan.worktree, plan.home, plan.layer, ...plan.outputs.map(({ from }) => from)].filter((path) => path !== null);
  const names = new Set([...written, ...shown]);
  return [...names].map((from) => ({ from, writable: written.includes(from) }));
}

/** The path under which bubblewrap finds a host path. */
export function placeOn(sources: readonly Source[], worktree: string): (path: string) => string {
  const places = new Map(sources.map(({ from }, index) => [from, `${STAGE_AT}/${index}`]));
  const tree = places.get(worktree);
  return (path) => places.get(path) ?? (tree !== undefined && path.startsWith(`${worktree}/`) ? tree + path.slice(worktree.length) : path);
}

/** The steps of the launcher before bubblewrap starts. */
export function preparation(plan: SandboxPlan, host: SandboxHost, groups: readonly string[]): PreparationStep[] {
  const sources = stagedSources(plan, host);
  const place = placeOn(sources, plan.worktree);
  const staged = sources.flatMap(({ from, writable }) => [writable ? "writable" : "shown", from, place(from)]);
  const { user } = host;
  const layer = plan.layer === null ? null : place(plan.layer);
  return [
    ...(groups.length === 0 ? [] : [["join", ...groups] as const]),
    ["keyring"],
    ...(user === null ? [] : [["stage", String(user.uid), String(user.gid), STAGE_AT, ...staged] as const]),
    ...(user === null ? [] : [["user", String(user.uid), String(user.gid)] as const]),
    ...(layer === null ? [] : [["layer", place(plan.worktree), upperOf(layer), workOf(layer)] as const]),
    ...(plan.veil === null ? [] : [["veil", place(plan.veil), ...veiledFolders(plan, host).map(place)] as const]),
  ];
}

type Shown = Omit<SandboxPlan, "git" | "veil">;

/**
 * The folders whose sockets must lead nowhere. On the stage each has a place of its own. Elsewhere the overlay is mounted over the folder
 * itself, so there is only one for nested folders, and none over something that the command may write, which it would hide.
 */
export function veiledFolders(plan: Shown, { veils, user }: Pick<SandboxHost, "veils" | "user">): string[] {
  if (!veils) return [];
  const shown = [...new Set([...plan.readOnly, ...plan.shared.map(({ from }) => from)])];
  if (user !== null) return shown.filter((path) => statSync(path).isDirectory());
  const used = [plan.worktree, plan.home, plan.layer, plan.gateway, ...plan.outputs.map(({ from }) => from)];
  const free = shown.filter((path) => lstatSync(path).isDirectory() && !used.some((own) => own !== null && isBelow(path, own)));
  return free.filter((folder) => !free.some((other) => other !== folder && isBelow(other, folder)));
}
