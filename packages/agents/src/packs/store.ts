import { existsSync, readdirSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { mkdir, rename, writeFile } from "node:fs/promises";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { Clock } from "@slipway/durable/environment";
import { removeWithin } from "@slipway/kernel/host/files/remove-tree";
import { emptyTrash, setAside } from "@slipway/kernel/host/files/trash";
import type { Repository } from "@slipway/kernel/host/git/repository";
import { openBlobs, sweepBlobs, type PackBlobs } from "./blobs.ts";
import { packChanges, restoreChanges, type PackChanges } from "./changes.ts";
import type { FileTree } from "@slipway/kernel/host/file-views/file-tree";
import type { PackManifest } from "./levels.ts";
import { materialise, type StandingPack } from "./materialise.ts";
import { packTree } from "./pack-tree.ts";
import type { PackPlan } from "./plan.ts";
import { openReadLog, type ReadRecord } from "./read-log.ts";
import type { FolderView } from "./view.ts";

/** A pack in use. */
export interface OpenPack {
  readonly folder: string;
  readonly manifest: PackManifest;
  readonly view: FolderView;
  readonly tree: FileTree;
  readonly reads: readonly ReadRecord[];
  changes(): Promise<PackChanges>;
  restore(changes: PackChanges): Promise<void>;
  /** Removes it; its changes must have been read before. */
  close(): Promise<void>;
}

export interface PackStoreOptions {
  /** The same for the same work, so that a pack left by a killed process is found again. */
  readonly id: string;
  readonly links: boolean;
}

export interface PackStore {
  open(plan: PackPlan, options: PackStoreOptions): Promise<OpenPack>;
}

const FILES = "files";
const MANIFEST = "manifest.json";
/** An agent waits for the sweep. */
const SWEEP_MS = 2_000;
const IN_BACKGROUND_MS = 60_000;
const DAY_MS = 24 * 60 * 60_000;
const UNUSED_BLOB_MS = 30 * DAY_MS;
const ABANDONED_PACK_MS = 14 * DAY_MS;

const stores = new WeakMap<Repository, Map<string, PackStore>>();

/** One per repository and folder in a process: it caches which contents were verified. */
export function packStore(repo: Repository, folder: string, clock: Pick<Clock, "now">): PackStore {
  const known = stores.get(repo) ?? new Map<string, PackStore>();
  stores.set(repo, known);
  const found = known.get(folder) ?? openStore(repo, folder, clock);
  known.set(folder, found);
  return found;
}

function openStore(repo: Repository, folder: string, clock: Pick<Clock, "now">): PackStore {
  const blobFolder = join(folder, "blobs");
  const blobs = openBlobs(blobFolder, repo);
  let ready: Promise<void> | null = null;
  const prepare = async () => {
    await mkdir(blobFolder, { recursive: true });
    await sweep(folder, blobFolder, clock.now());
  };
  return {
    async open(plan, { id, links }) {
      await (ready ??= prepare());
      const place = join(folder, id);
      const standing = await makeAnew(folder, place, plan, blobs, links);
      const log = openReadLog(clock);
      return {
        folder: standing.folder,
        manifest: plan.manifest,
        view: standing.view,
        tree: packTree(standing, log, () => repo.vault({ workTree: standing.folder })),
        reads: log.records,
        changes: () => packChanges(repo, standing),
        restore: (changes) => restoreChanges(repo, standing, changes),
        close: async () => discard(folder, place),
      };
    },
  };
}

/** Written under a temporary name, so that an existing folder is a complete pack. */
async function makeAnew(folder: string, place: string, plan: PackPlan, blobs: PackBlobs, links: boolean): Promise<StandingPack> {
  const draft = join(folder, `.new-${randomBytes(6).toString("hex")}`);
  await mkdir(draft);
  const pack = await materialise(plan, { blobs, folder: join(draft, FILES), links });
  await writeFile(join(draft, MANIFEST), JSON.stringify(plan.manifest));
  if (existsSync(place)) discard(folder, place);
  await rename(draft, place);
  return { ...pack, folder: join(place, FILES) };
}

/** Renamed at once and deleted in the background, at the latest when the next store opens. */
function discard(folder: string, place: string): void {
  void removeWithin(setAside(place, folder), IN_BACKGROUND_MS);
}

/** Deletes discarded packs and, at most once a day, packs too old to be in use. */
async function sweep(folder: string, blobFolder: string, now: number): Promise<void> {
  const entries = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory() && entry.name !== "blobs");
  await emptyTrash(folder, SWEEP_MS);
  const marker = join(folder, ".swept");
  const last = statSync(marker, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (now - last < DAY_MS) return;
  writeFileSync(marker, "");
  utimesSync(marker, now / 1000, now / 1000);
  for (const { name } of entries) {
    const path = join(folder, name);
    const found = statSync(path, { throwIfNoEntry: false });
    if (found !== undefined && now - found.mtimeMs > ABANDONED_PACK_MS) await removeWithin(path, SWEEP_MS);
  }
  await sweepBlobs(blobFolder, UNUSED_BLOB_MS, now);
}
