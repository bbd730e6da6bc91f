import { chmodSync, constants, copyFileSync, linkSync, mkdirSync, type Stats } from "node:fs";
import { join } from "node:path";
import { hasCode } from "@slipway/kernel/host/files/file-system";
import type { PackBlobs } from "./blobs.ts";
import type { PackPlan } from "./plan.ts";
import { parentOf } from "@slipway/kernel/host/file-views/rules";
import { inSlices } from "@slipway/kernel/host/sandbox/turns";
import { viewOf, type FolderView } from "./view.ts";

/** A pack on disk. */
export interface StandingPack {
  readonly folder: string;
  readonly plan: PackPlan;
  readonly view: FolderView;
  /** Files that are links to the cache: a file that still is one is unchanged. */
  readonly linked: ReadonlyMap<string, number>;
}

export interface MaterialiseOptions {
  readonly blobs: PackBlobs;
  /** A path that does not exist. */
  readonly folder: string;
  /** Only if a sandbox mounts the links read-only: their owner could otherwise make a file writable and change the cache. */
  readonly links: boolean;
}

/** Creates the folder with exactly the files of the plan. */
export async function materialise(plan: PackPlan, { blobs, folder, links }: MaterialiseOptions): Promise<StandingPack> {
  const paths = plan.files.map(({ path }) => path);
  const view = viewOf(paths, plan.writable);
  const contents = await blobs.ensure(plan.files);
  await inSlices(view.folders, (path) => mkdirSync(join(folder, path), { recursive: path === "." }));
  const linked = new Map<string, number>();
  let canLink = links;
  await inSlices([...plan.files.entries()], ([index, { path, executable }]) => {
    const from = contents[index] ?? { path: "", ino: -1 };
    const to = join(folder, path);
    if (canLink && !view.open.has(parentOf(path))) {
      canLink = link(from.path, to);
      if (canLink) return void linked.set(path, from.ino);
    }
    copyFileSync(from.path, to, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
    chmodSync(to, executable ? 0o755 : 0o644);
  });
  return { folder, plan, view, linked };
}

/** False if the file system does not support links, or its limit is reached. */
function link(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (hasCode(error, "EPERM", "EXDEV", "ENOTSUP", "EOPNOTSUPP", "EMLINK", "ENOSYS")) return false;
    throw error;
  }
}

export function isLinked({ linked }: Pick<StandingPack, "linked">, path: string, found: Stats): boolean {
  return linked.get(path) === found.ino && (found.mode & 0o222) === 0;
}
