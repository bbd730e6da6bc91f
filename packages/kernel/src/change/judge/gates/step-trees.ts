import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { removeTree } from "../../../host/files/remove-tree.ts";
import { isLeftOver, scratchName } from "../../../host/git/worktree-record.ts";
import type { Sandbox } from "../../../host/sandbox/contract.ts";
import { openStepCaches, type CacheSource } from "./step-caches.ts";
import { handOn, unpack, type Product } from "./products.ts";
import { prepareReportFolder, type ReportPath } from "./reports.ts";

/**
 * What keeps the steps of a gate apart. layer: each writes to a layer of its own over the worktree, which is thrown away. reset: they
 * write to the worktree, which is brought back to its tree after each. none: nobody said how to bring it back.
 */
export type Isolation = "layer" | "reset" | "none";

export interface TreeSource {
  readonly worktree: string;
  readonly sandbox: Pick<Sandbox, "layers">;
  /** A folder of the harness's own, for layers and for what is handed on. */
  readonly scratch: string;
  /** Brings the worktree back to its tree, where there are no layers. */
  readonly bringBack?: (() => Promise<void>) | undefined;
  /** The paths of the tree: such a file is never handed on. */
  readonly tracked?: ReadonlySet<string>;
  readonly caches?: CacheSource | undefined;
}

/** The tree as one step finds it, and what the step makes of it. */
export interface StepTree {
  readonly layer: string | null;
  /** Holds what the step wrote, each file at its path. */
  readonly written: string;
  /** Keeps these paths for the steps after this one. */
  keep(paths: readonly string[]): readonly Product[];
  close(passed: boolean): Promise<void>;
}

export interface StepTrees extends AsyncDisposable {
  readonly isolation: Isolation;
  open(step: string): Promise<StepTree>;
}

export function openStepTrees(source: TreeSource, reports: readonly ReportPath[]): StepTrees {
  const { worktree, sandbox, bringBack, tracked = new Set() } = source;
  const isolation: Isolation = sandbox.layers === true ? "layer" : bringBack === undefined ? "none" : "reset";
  const folder = join(source.scratch, scratchName());
  const products = join(folder, "products");
  mkdirSync(source.scratch, { recursive: true, mode: 0o700 });
  sweep(source.scratch);
  mkdirSync(products, { recursive: true, mode: 0o700 });
  let opened = 0;

  const caches = source.caches === undefined || isolation === "none" ? null : openStepCaches(source.caches, tracked);
  const isTracked = (path: string) => tracked.has(path);
  const keep = (written: string) => (paths: readonly string[]) => paths.map((path) => handOn(written, products, path, isTracked));
  return {
    isolation,
    async open(step) {
      const layer = isolation === "layer" ? join(folder, `layer-${++opened}`) : null;
      const written = layer === null ? worktree : join(layer, "upper");
      if (layer !== null) mkdirSync(written, { recursive: true, mode: 0o700 });
      if (isolation !== "none") unpack(products, written);
      await caches?.layOut(step, written);
      for (const report of reports) if (!existsSync(join(worktree, report.path, ".."))) prepareReportFolder(written, report);
      return {
        layer,
        written,
        keep: keep(written),
        close: async (passed) => {
          if (passed) await caches?.keep(step, written);
          if (layer !== null) await removeTree(layer);
          else await bringBack?.();
        },
      };
    },
    [Symbol.asyncDispose]: () => removeTree(folder),
  };
}

const swept = new Set<string>();

/** What killed processes have left; once for each folder in a process, and nobody waits for it. */
function sweep(scratch: string): void {
  if (swept.has(scratch)) return;
  swept.add(scratch);
  for (const name of readdirSync(scratch)) if (isLeftOver(name)) void removeTree(join(scratch, name)).catch(() => undefined);
}
