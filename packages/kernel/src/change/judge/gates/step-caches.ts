import { lstatSync, mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { sha256 } from "@slipway/durable/canonical";
import { inFolderOf } from "../../../host/files/beneath.ts";
import { removeTree } from "../../../host/files/remove-tree.ts";
import { isBelow } from "../../../host/sandbox/arguments.ts";
import { bytesBelow } from "../../../host/sandbox/disk.ts";

/** Folders restored to a step as it left them after its last pass. */
export interface CacheSource {
  /** A private folder of the harness for one feature, profile and mode. */
  readonly folder: string;
  /** Relative to the worktree. */
  readonly paths: readonly string[];
}

/**
 * Code of an earlier tree wrote a cache, so only the same step gets it back. A cache is moved, never copied: build tools compare the times
 * of its files. A cache that cannot be moved, or that a killed gate had taken, is lost.
 */
export interface StepCaches {
  layOut(step: string, written: string): Promise<void>;
  /** Only after a pass: any other end may leave a cache that fails every later gate. */
  keep(step: string, written: string): Promise<void>;
}

const MOST_BYTES = 4 * 1024 ** 3;

/** Only folders without tracked files: a step gets those from git. */
export function openStepCaches(source: CacheSource, tracked: ReadonlySet<string>, mostBytes = MOST_BYTES): StepCaches {
  const { folder } = source;
  const paths = source.paths.filter((path) => [...tracked].every((file) => !isBelow(path, file) && !isBelow(file, path)));
  const cachePath = (step: string, path: string) => join(folder, sha256(`${step}\0${path}`).slice(0, 24));
  return {
    async layOut(step, written) {
      for (const path of paths) {
        const cached = cachePath(step, path);
        if (!isFolder(cached)) continue;
        // A product of an earlier step already at this path wins.
        attempt(() => inFolderOf(written, path, (target) => isFolder(target) || renameSync(cached, target), { make: true }));
        await removeTree(cached);
      }
    },
    async keep(step, written) {
      attempt(() => mkdirSync(folder, { recursive: true, mode: 0o700 }));
      for (const path of paths) {
        const cached = cachePath(step, path);
        attempt(() => inFolderOf(written, path, (cache) => isFolder(cache) && renameSync(cache, cached)));
        if ((await bytesBelow(cached)) > mostBytes) await removeTree(cached);
      }
    },
  };
}

/** False for a link, and for the whiteout that overlayfs leaves for a removed folder. */
function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function attempt(move: () => unknown): void {
  try {
    move();
  } catch {
    // The next step starts without the cache.
  }
}
