import { parentOf } from "@slipway/kernel/host/file-views/rules";

export interface FolderView {
  /** Folders in which something may change: their files are copies, never links to the cache. "." is the pack itself. */
  readonly open: ReadonlySet<string>;
  /** Every folder of the pack, parents first. */
  readonly folders: readonly string[];
  /** What the sandbox mounts: each folder that differs from its parent. */
  readonly access: readonly { readonly path: string; readonly writable: boolean }[];
}

/** Each is a mount, and each costs the sandbox time; beyond this everything is copied and the whole pack can be written. */
const MAX_MOUNTS = 96;

/**
 * Whoever may change a file must be able to write its folder, because tools replace files. So permission goes by folder here,
 * and by file when the changes are taken over.
 */
export function viewOf(paths: readonly string[], writable: readonly string[], maxMounts = MAX_MOUNTS): FolderView {
  const folders = new Set<string>(["."]);
  for (const path of [...paths, ...writable]) {
    for (let at = parentOf(path); at !== "." && !folders.has(at); at = parentOf(at)) folders.add(at);
  }
  const open = new Set(writable.map(parentOf));
  const ordered = [...folders].toSorted((left, right) => depth(left) - depth(right) || (left < right ? -1 : 1));
  const access = ordered
    .filter((path) => open.has(path) !== (path === "." || open.has(parentOf(path))))
    .map((path) => ({ path, writable: open.has(path) }));
  if (access.length > maxMounts) return { open: folders, folders: ordered, access: [] };
  return { open, folders: ordered, access };
}

function depth(path: string): number {
  return path === "." ? 0 : path.split("/").length;
}
