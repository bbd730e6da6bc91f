import { lstatSync, readFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";

/** The two folders everything else is found from. */
export interface Anchors {
  /** The main working tree. */
  readonly root: string;
  /** The git directory that all working trees of the repository share. */
  readonly commonDir: string;
}

/**
 * Where things are in a target repository. Below `truth` is what cannot be made again: it lies where `git clean -fdx` does not reach.
 * Below `state` are files for people and tools, written again from the truth when they are gone.
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
    /** Transcripts of a run, and of everything below it, that have become no object yet. */
    transcripts: (run: string) => join(truth, "transcripts", named(run)),
    state,
    runs: join(state, "runs"),
    /** The folder of a run and of everything below it. */
    run: (id: string) => join(state, "runs", named(id)),
    /** What a protocol keeps beyond its runs. */
    stateStore: join(state, "state_store"),
    features: join(state, "features"),
    feature: (id: string) => join(state, "features", id),
    /** What the harness itself needs to go on with a feature's worktree; nothing for people. */
    working: (id: string) => join(truth, "features", id),
    indexFile: (id: string) => join(truth, "features", id, "harness.index"),
    /** What lay beside the tree before a gate that has not ended. */
    besideNote: (id: string) => join(truth, "features", id, "gate.beside.json"),
  };
}

/** One folder for a run and everything below it. */
function named(run: string): string {
  return encodeURIComponent(run.split("/")[0] ?? run);
}

export type Layout = ReturnType<typeof layoutOf>;

/** The layout of the repository whose working tree this folder is, found without git: starting it would cost more than `status` may. */
export function layoutAt(folder: string): Layout {
  return layoutOf(anchorsAt(folder));
}

function anchorsAt(folder: string): Anchors {
  const gitDir = gitDirOf(join(folder, ".git"));
  const shared = textIfAny(join(gitDir, "commondir"))?.trim();
  if (shared === undefined) return { root: folder, commonDir: gitDir };
  const commonDir = resolve(gitDir, shared);
  // A linked worktree: the files for people lie once, in the main working tree, if there is one.
  return { root: basename(commonDir) === ".git" && !isBare(commonDir) ? dirname(commonDir) : folder, commonDir };
}

/** `.git` is the folder itself, or, in a linked worktree and with `--separate-git-dir`, a file that names it. */
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
