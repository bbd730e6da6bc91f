import { lstatSync, readFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";

/** The two folders that determine all others. */
export interface Anchors {
  /** The main working tree. */
  readonly root: string;
  /** The git directory shared by all working trees of the repository. */
  readonly commonDir: string;
}

/**
 * The paths of Slipway in a target repository. `truth` contains what cannot be made again, out of reach of `git clean -fdx`.
 * `state` contains files for people and tools, which are recreated from `truth` if they are missing.
 */
export function layoutOf({ root, commonDir }: Anchors) {
  const state = join(root, ".slipway");
  const truth = join(commonDir, "slipway");
  return {
    root,
    commonDir,
    truth,
    database: join(truth, "slipway.db"),
    objects: join(truth, "objects"),
    /** Transcripts of a run and its children that are not yet in the object store. */
    transcripts: (run: string) => join(truth, "transcripts", named(run)),
    state,
    runs: join(state, "runs"),
    /** The folder of a run and its children. */
    run: (id: string) => join(state, "runs", named(id)),
    /** State of a protocol that outlives its runs. */
    stateStore: join(state, "state_store"),
    features: join(state, "features"),
    feature: (id: string) => join(state, "features", id),
    /** The harness's own files for a feature's worktree; not for people. */
    working: (id: string) => join(truth, "features", id),
    indexFile: (id: string) => join(truth, "features", id, "harness.index"),
    /** The ignored files that existed before a gate that has not ended. */
    besideNote: (id: string) => join(truth, "features", id, "gate.beside.json"),
  };
}

/** The folder name of a run, shared with its children. */
function named(run: string): string {
  return encodeURIComponent(run.split("/")[0] ?? run);
}

export type Layout = ReturnType<typeof layoutOf>;

/** The layout of the repository with this working tree, found without git, whose start would be too slow for `status`. */
export function layoutAt(folder: string): Layout {
  return layoutOf(anchorsAt(folder));
}

function anchorsAt(folder: string): Anchors {
  const gitDir = gitDirOf(join(folder, ".git"));
  const shared = textIfAny(join(gitDir, "commondir"))?.trim();
  if (shared === undefined) return { root: folder, commonDir: gitDir };
  const commonDir = resolve(gitDir, shared);
  // In a linked worktree, the files for people are in the main working tree, if there is one.
  return { root: basename(commonDir) === ".git" && !isBare(commonDir) ? dirname(commonDir) : folder, commonDir };
}

/** `.git` is the folder itself or, in a linked worktree and with `--separate-git-dir`, a file that names it. */
function gitDirOf(pointer: string): string {
  if (lstatSync(pointer, { throwIfNoEntry: false })?.isFile() !== true) return pointer;
  const [, target] = /^gitdir: (.+?)\s*$/.exec(readFileSync(pointer, "utf8")) ?? [];
  return target === undefined ? pointer : resolve(dirname(pointer), target);
}

function isBare(commonDir: string): boolean {
  return /^\s*bare\s*=\s*(?:true|yes|on|1)\s*$/im.test(textIfAny(join(commonDir, "config")) ?? "");
}

function textIfAny(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
