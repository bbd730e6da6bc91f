import { lstatSync, mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { sha256 } from "@slipway/durable/canonical";
import { inFolderOf } from "../../../host/files/beneath.ts";
import { removeTree } from "../../../host/files/remove-tree.ts";
import { isBelow } from "../../../host/sandbox/arguments.ts";
import { bytesBelow } from "../../../host/sandbox/disk.ts";

/** Folders that a step finds as it left them when it last passed. */
export interface CacheSource {
  /** Of the harness alone, for one feature, profile and mode. */
  readonly folder: string;
  /** Relative to the worktree. */
  readonly paths: readonly string[];
}

/**
 * What is kept was written by the code of an earlier tree, so it goes to nobody but the same step. A cache is moved, never copied: the
 * times of its files tell a build tool what is older than its source. One that cannot be moved, or is taken by a gate that is killed, is lost.
 */
export interface StepCaches {
  layOut(step: string, written: string): Promise<void>;
  /** After a pass; whatever else happened may have left a cache that fails every gate after it. */
  keep(step: string, written: string): Promise<void>;
}

const MOST_BYTES = 4 * 1024 ** 3;

/** Only folders that hold no file of the tree: a step finds those as git has them. */
export function openStepCaches(source: CacheSource, tracked: ReadonlySet<string>, mostBytes = MOST_BYTES): StepCaches {
  const { folder } = source;
  const paths = source.paths.filter((path) => [...tracked].every((file) => !isBelow(path, file) && !isBelow(file, path)));
  const placeOf = (step: string, path: string) => join(folder, sha256(`${step}\0${path}`).slice(0, 24));
  return {
    async layOut(step, written) {
      for (const path of paths) {
        const place = placeOf(step, path);
        if (!isFolder(place)) continue;
        // What an earlier step hands on is at the path already, and wins.
        attempt(() => inFolderOf(written, path, (target) => isFolder(target) || renameSync(place, target), { make: true }));
        await removeTree(place);
      }
    },
    async keep(step, written) {
      attempt(() => mkdirSync(folder, { recursive: true, mode: 0o700 }));
      for (const path of paths) {
        const place = placeOf(step, path);
        attempt(() => inFolderOf(written, path, (found) => isFolder(found) && renameSync(found, place)));
        if ((await bytesBelow(place)) > mostBytes) await removeTree(place);
      }
    },
  };
}

/** A link, or what overlayfs leaves of a folder that was removed, is no folder. */
function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function attempt(move: () => unknown): void {
  try {
    move();
  } catch {
    // The next step starts without it.
  }
}
