import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { nodeFileSystem } from "@slipway/kernel/host/files/file-system";
import { translateFileError } from "@slipway/kernel/host/files/write-atomic";
import { inSlices } from "@slipway/kernel/host/sandbox/turns";

export interface ProjectFile {
  readonly path: string;
  readonly text: string;
}

const PROJECT = "project";
const LEFT = ".project-";

/**
 * Writes all files of a project to a temporary folder and renames it into place, replacing an earlier project. Files are not synced one by
 * one: they can be recreated from the rows, and each is rewritten when its task starts.
 */
export async function writeProject(stateStore: string, files: readonly ProjectFile[]): Promise<void> {
  const nonce = randomBytes(6).toString("hex");
  const draft = join(stateStore, `${LEFT}${nonce}`);
  const old = join(stateStore, `${LEFT}old-${nonce}`);
  const place = join(stateStore, PROJECT);
  try {
    await mkdir(draft, { recursive: true });
    const inside = files.map(({ path, text }) => ({ path: path.slice(PROJECT.length + 1), text }));
    // Each folder once, parents first, so that no `mkdir` has to search.
    await inSlices(foldersOf(inside.map(({ path }) => path)), (folder) => mkdirSync(`${draft}/${folder}`));
    await inSlices(inside, ({ path, text }) => writeFileSync(`${draft}/${path}`, text, { flag: "wx" }));
    if (existsSync(place)) renameSync(place, old);
    renameSync(draft, place);
    await nodeFileSystem.syncDirectory(stateStore);
  } catch (error) {
    if (!existsSync(place) && existsSync(old)) renameSync(old, place);
    rmSync(draft, { recursive: true, force: true });
    throw translateFileError(error, draft);
  }
  void sweep(stateStore);
}

function foldersOf(paths: readonly string[]): string[] {
  const folders = new Set<string>();
  for (const path of paths) {
    const missing: string[] = [];
    for (let folder = dirname(path); folder !== "." && !folders.has(folder); folder = dirname(folder)) missing.push(folder);
    for (const folder of missing.toReversed()) folders.add(folder);
  }
  return [...folders];
}

/** Deletes replaced folders, also those of a process that died. Runs in the background, because thousands of files take time. */
async function sweep(stateStore: string): Promise<void> {
  const stale = readdirSync(stateStore).filter((name) => name.startsWith(LEFT));
  await Promise.all(stale.map((name) => rm(join(stateStore, name), { recursive: true, force: true }).catch(() => undefined)));
}
