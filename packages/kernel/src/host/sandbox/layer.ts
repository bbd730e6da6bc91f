import { chmodSync, mkdirSync, statSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { SlipwayError } from "../../schema/errors.ts";
import { removeTreeNow } from "../files/remove-tree.ts";
import { isBelow } from "./arguments.ts";
import type { SharedPath } from "./contract.ts";
import { sharedSource, type MountPoints } from "./mount-points.ts";
import { kindAt, outOfBounds, realPathOrNull, resolveWithoutLinks } from "./paths.ts";

/** A folder that receives the writes of a command instead of its worktree. */
export interface Layer {
  readonly folder: string;
  close(): void;
}

export const upperOf = (layer: string): string => join(layer, "upper");
export const workOf = (layer: string): string => join(layer, "work");

export function openLayer(path: string, worktree: string): Layer {
  const folder = isAbsolute(path) ? realPathOrNull(path) : null;
  if (folder === null || kindAt(folder) !== "folder")
    throw new SlipwayError("input_path_not_found", `The layer ${path} is not an absolute path of a folder.`, { field: "layer" });
  if (isBelow(worktree, folder) || isBelow(folder, worktree))
    throw new SlipwayError("path_out_of_bounds", `The layer ${folder} and the worktree ${worktree} must not be inside each other.`, {
      field: "layer",
    });
  // It may exist, with products of earlier steps.
  mkdirSync(upperOf(folder), { recursive: true });
  // The overlay shows the mode of the upper folder as the worktree's.
  chmodSync(upperOf(folder), statSync(worktree).mode & 0o1777);
  mkdirSync(workOf(folder), { mode: 0o700 });
  return { folder, close: () => removeTreeNow(workOf(folder)) };
}

/** Checks the mount points but does not create them: bubblewrap creates missing ones in the layer. */
export function mountPointsInLayer(worktree: string, paths: readonly SharedPath[], hidesGit: boolean): MountPoints {
  const gitKind = kindAt(join(worktree, ".git"));
  if (hidesGit && (gitKind === "link" || gitKind === "other")) throw outOfBounds(worktree, ".git", "worktree");
  const shared = paths.map((path, index) => {
    const to = resolveWithoutLinks(worktree, path.to, `shared[${index}].to`);
    const from = sharedSource(path.from, `shared[${index}]`);
    const found = kindAt(to);
    if (found !== "missing" && found !== kindAt(from)) throw outOfBounds(worktree, path.to, `shared[${index}].to`);
    return { from, to };
  });
  const git = gitKind === "folder" ? "directory" : "file";
  return { git: hidesGit ? git : "none", shared, release: () => undefined };
}
