import { closeSync, lstatSync, mkdirSync, openSync, rmdirSync, unlinkSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { SlipwayError } from "../../schema/errors.ts";
import { inFolderOf } from "../files/beneath.ts";
import { hasCode } from "../files/file-system.ts";
import type { SharedPath } from "./contract.ts";
import { kindAt, outOfBounds, realPathOrNull, resolveWithoutLinks } from "./paths.ts";
import { holdPlaceholder, isPlaceholder } from "./placeholders.ts";

export interface MountPoints {
  readonly git: "file" | "directory" | "none";
  readonly shared: readonly SharedPath[];
  /** Removes the mount points that were created. */
  release(): void;
}

type Undo = (() => void)[];

/**
 * bubblewrap leaves an empty file or folder on the host wherever a mount point is missing. So the mount points are created
 * here and removed afterwards. git ignores an empty .git: after a kill the next run recognises it as a leftover
 * and removes it. All synchronous, because another run may be ending in the same worktree.
 */
export function prepareMountPoints(worktree: string, shared: readonly SharedPath[], hidesGit = true): MountPoints {
  const undo: Undo = [];
  const release = () => {
    for (const step of undo.splice(0).toReversed()) step();
  };
  try {
    const git = hidesGit ? gitMountPoint(worktree, undo) : "none";
    const resolved = shared.map((path, index) => sharedMountPoint(worktree, path, `shared[${index}]`, undo));
    return { git, shared: resolved, release };
  } catch (error) {
    release();
    throw error;
  }
}

export function sharedSource(from: string, field: string): string {
  const real = realPathOrNull(from);
  if (real !== null) return real;
  throw new SlipwayError("input_path_not_found", `${field}.from "${from}" does not exist.`, {
    field: `${field}.from`,
    suggested_next_actions: [
      "Create it, for example by installing the dependencies, or remove it from sandbox.shared_paths in slipway/policy.yaml.",
    ],
  });
}

function gitMountPoint(worktree: string, undo: Undo): "file" | "directory" {
  const path = join(worktree, ".git");
  const kind = kindAt(path);
  if (kind === "folder") return "directory";
  if (kind === "link" || kind === "other") throw outOfBounds(worktree, ".git", "worktree");
  if (kind === "missing") createEmpty(worktree, path);
  if (lstatSync(path).size === 0) undo.push(holdPlaceholder(path, removeFile(worktree)));
  return "file";
}

function sharedMountPoint(worktree: string, path: SharedPath, field: string, undo: Undo): SharedPath {
  const to = resolveWithoutLinks(worktree, path.to, `${field}.to`);
  const from = sharedSource(path.from, field);
  const wanted = kindAt(from);
  const found = kindAt(to);
  if (found !== "missing" && found !== wanted) throw outOfBounds(worktree, path.to, `${field}.to`);
  if (wanted === "folder") holdFolder(worktree, to, undo);
  else {
    holdFolder(worktree, dirname(to), undo);
    if (found === "missing") createEmpty(worktree, to);
    if (found === "missing" || isPlaceholder(to)) undo.push(holdPlaceholder(to, removeFile(worktree)));
  }
  return { from, to };
}

/** Creates the missing parents of a folder, and keeps those that another run created. */
function holdFolder(worktree: string, path: string, undo: Undo): void {
  const missing = kindAt(path) === "missing";
  if (!missing && !isPlaceholder(path)) return;
  holdFolder(worktree, dirname(path), undo);
  if (missing) beneath(worktree, path, (folder) => mkdirSync(folder));
  undo.push(holdPlaceholder(path, removeFolder(worktree)));
}

function createEmpty(worktree: string, path: string): void {
  beneath(worktree, path, (file) => closeSync(openSync(file, "wx", 0o444)));
}

/** The command may have replaced parent folders by links: a mount point that is no longer at its path is not removed. */
const removeFile = (worktree: string) => (path: string) => unlessGone(() => beneath(worktree, path, unlinkIfEmpty));

/** A folder stays if the command wrote beside the mount point. */
const removeFolder = (worktree: string) => (path: string) => unlessGone(() => beneath(worktree, path, (folder) => rmdirSync(folder)));

/** A file with content is not a mount point that we created. */
function unlinkIfEmpty(file: string): void {
  const found = lstatSync(file);
  if (found.isFile() && found.size === 0) unlinkSync(file);
}

function beneath(worktree: string, path: string, work: (file: string) => void): void {
  inFolderOf(worktree, relative(worktree, path), work);
}

function unlessGone(work: () => void): void {
  try {
    work();
  } catch (error) {
    const isOther = error instanceof SlipwayError && error.code === "path_out_of_bounds";
    if (!isOther && !hasCode(error, "ENOENT", "ENOTEMPTY", "EEXIST", "EACCES")) throw error;
  }
}
