import { closeSync, lstatSync, mkdirSync, openSync, readdirSync, rmSync, rmdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { SlipwayError } from "@slipway/durable/errors";
import type { SharedPath } from "./contract.ts";
import { kindAt, outOfBounds, realPathOrNull, resolveWithoutLinks } from "./paths.ts";
import { holdPlaceholder, isPlaceholder } from "./placeholders.ts";

export interface MountPoints {
  readonly git: "file" | "directory" | "none";
  readonly shared: readonly SharedPath[];
  /** Takes back what was made only to mount on. */
  release(): void;
}

type Undo = (() => void)[];

/**
 * bubblewrap would leave an empty file or folder on the host wherever it mounts on nothing. So the mount points are made
 * here, and taken back afterwards. An empty .git means nothing to git: after a kill it is recognised as left over by
 * the next run, and taken back then. Everything in one go, because another run may be ending in the same worktree.
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
      "Make it, for example by installing the dependencies, or remove it from sandbox.shared_paths in slipway/policy.yaml.",
    ],
  });
}

function gitMountPoint(worktree: string, undo: Undo): "file" | "directory" {
  const path = join(worktree, ".git");
  const kind = kindAt(path);
  if (kind === "folder") return "directory";
  if (kind === "link" || kind === "other") throw outOfBounds(worktree, ".git", "worktree");
  if (kind === "missing") createEmpty(path);
  if (lstatSync(path).size === 0) undo.push(holdPlaceholder(path, removeFile));
  return "file";
}

function sharedMountPoint(worktree: string, path: SharedPath, field: string, undo: Undo): SharedPath {
  const to = resolveWithoutLinks(worktree, path.to, `${field}.to`);
  const from = sharedSource(path.from, field);
  const wanted = kindAt(from);
  const found = kindAt(to);
  if (found !== "missing" && found !== wanted) throw outOfBounds(worktree, path.to, `${field}.to`);
  if (wanted === "folder") holdFolder(to, undo);
  else {
    holdFolder(dirname(to), undo);
    if (found === "missing") createEmpty(to);
    if (found === "missing" || isPlaceholder(to)) undo.push(holdPlaceholder(to, removeFile));
  }
  return { from, to };
}

/** Makes what is missing of a folder's way, and holds on to what another run made of it. */
function holdFolder(path: string, undo: Undo): void {
  const missing = kindAt(path) === "missing";
  if (!missing && !isPlaceholder(path)) return;
  holdFolder(dirname(path), undo);
  if (missing) mkdirSync(path);
  undo.push(holdPlaceholder(path, removeFolder));
}

function createEmpty(path: string): void {
  closeSync(openSync(path, "wx", 0o444));
}

function removeFile(path: string): void {
  rmSync(path, { force: true });
}

/** A folder stays if the command wrote beside the mount point. */
function removeFolder(path: string): void {
  if (kindAt(path) === "folder" && readdirSync(path).length === 0) rmdirSync(path);
}
