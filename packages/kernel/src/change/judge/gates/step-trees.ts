import { existsSync, lstatSync, mkdirSync, readdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { discardTree, emptyTrash } from "../../../host/files/trash.ts";
import { inFolderOf } from "../../../host/files/beneath.ts";
import { readBelow, writeBelow } from "../../../host/file-views/files.ts";
import { SlipwayError } from "../../../schema/errors.ts";
import { isLeftOver, scratchName } from "../../../host/git/worktree-record.ts";
import type { Sandbox } from "../../../host/sandbox/contract.ts";
import { openStepCaches, type CacheSource } from "./step-caches.ts";
import { takeProduct, unpack, type Product } from "./products.ts";
import { hideReports, prepareReportFolder, type ReportPath } from "./reports.ts";

/**
 * How the steps of a gate are isolated. layer: each step writes to its own overlay over the worktree, which is discarded. reset: steps
 * write to the worktree, which is reset to its tree after each. none: the caller did not provide a way to reset it.
 */
export type Isolation = "layer" | "reset" | "none";

export interface TreeSource {
  readonly worktree: string;
  readonly sandbox: Pick<Sandbox, "layers">;
  /** A private folder of the harness, for layers and products. */
  readonly scratch: string;
  /** Resets the worktree to its tree, where there are no layers. */
  readonly resetTree?: (() => Promise<void>) | undefined;
  /** Paths of the tree: a tracked file is never a product. */
  readonly tracked?: ReadonlySet<string>;
  readonly caches?: CacheSource | undefined;
  readonly planted?: readonly PlantedFile[] | undefined;
  /** Files of the tree that each layer has as copies, so that code cannot tell planted ones by device, inode or the time of their change. */
  readonly copied?: readonly string[] | undefined;
}

export interface PlantedFile {
  readonly path: string;
  readonly text: string | Buffer;
  /** A file of the worktree whose mode and times it has. */
  readonly like: string;
}

/** The tree as one step sees it, and the step's output. */
export interface StepTree {
  readonly layer: string | null;
  /** Contains the files that the step wrote, each at its path. */
  readonly written: string;
  /** Keeps these paths for later steps. */
  keep(paths: readonly string[]): readonly Product[];
  close(passed: boolean): Promise<void>;
}

export interface StepTrees extends AsyncDisposable {
  readonly isolation: Isolation;
  open(step: string): Promise<StepTree>;
}

export function openStepTrees(source: TreeSource, reports: readonly ReportPath[]): StepTrees {
  const { worktree, sandbox, resetTree, tracked = new Set(), planted = [], copied = [] } = source;
  const isolation: Isolation = sandbox.layers === true ? "layer" : resetTree === undefined ? "none" : "reset";
  const folder = join(source.scratch, scratchName());
  const products = join(folder, "products");
  mkdirSync(source.scratch, { recursive: true, mode: 0o700 });
  sweep(source.scratch);
  mkdirSync(products, { recursive: true, mode: 0o700 });
  let opened = 0;

  const caches = source.caches === undefined || isolation === "none" ? null : openStepCaches(source.caches, tracked);
  const isTracked = (path: string) => tracked.has(path);
  const keep = (written: string) => (paths: readonly string[]) => paths.map((path) => takeProduct(written, products, path, isTracked));
  return {
    isolation,
    async open(step) {
      const layer = isolation === "layer" ? join(folder, `layer-${++opened}`) : null;
      const written = layer === null ? worktree : join(layer, "upper");
      if (layer !== null) mkdirSync(written, { recursive: true, mode: 0o700 });
      if (isolation !== "none") unpack(products, written);
      await caches?.layOut(step, written);
      if (layer !== null) for (const path of copied) copyFile(worktree, written, path);
      for (const file of planted) plantFile(worktree, written, file);
      for (const report of reports) if (!existsSync(join(worktree, report.path, ".."))) prepareReportFolder(written, report);
      if (layer !== null) hideReports(worktree, written, reports);
      return {
        layer,
        written,
        keep: keep(written),
        close: async (passed) => {
          if (passed) await caches?.keep(step, written);
          if (layer !== null) await discardTree(layer, source.scratch);
          else await resetTree?.();
        },
      };
    },
    [Symbol.asyncDispose]: () => discardTree(folder, source.scratch),
  };
}

const swept = new Set<string>();

/** Removes leftovers of killed processes in the background, once per folder and process. */
function sweep(scratch: string): void {
  if (swept.has(scratch)) return;
  swept.add(scratch);
  for (const name of readdirSync(scratch)) if (isLeftOver(name)) void discardTree(join(scratch, name), scratch).catch(() => undefined);
  void emptyTrash(scratch);
}

/** Leaves out what is no regular file, or gone. */
function copyFile(worktree: string, written: string, path: string): void {
  try {
    plantFile(worktree, written, { path, text: readBelow(worktree, path), like: path });
  } catch (error) {
    if (!(error instanceof SlipwayError)) throw error;
  }
}

function plantFile(worktree: string, written: string, { path, text, like }: PlantedFile): void {
  const { mode, atime, mtime } = inFolderOf(worktree, like, (file) => lstatSync(file));
  writeBelow(written, path, typeof text === "string" ? Buffer.from(text) : text, (mode & 0o100) !== 0);
  inFolderOf(written, path, (file) => utimesSync(file, atime, mtime));
}
