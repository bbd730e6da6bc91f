import { parentOf } from "@slipway/kernel/host/file-views/rules";

export interface FolderView {
  /** Folders with changeable files: their files are copies, not links to the cache. "." is the pack itself. */
  readonly open: ReadonlySet<string>;
  /** Every folder of the pack, parents first. */
  readonly folders: readonly string[];
  /** The mounts of the sandbox: each folder whose access differs from its parent's. */
  readonly access: readonly { readonly path: string; readonly writable: boolean }[];
}

/** Each mount costs the sandbox time; above this number everything is copied and the whole pack is writable. */
const MAX_MOUNTS = 96;

/**
 * Tools replace files, which needs write access to the folder. So the sandbox grants access by folder, and the check of the changes by
 * file.
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
