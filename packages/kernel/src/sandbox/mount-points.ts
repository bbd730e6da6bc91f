import { lstat, mkdir, open, realpath, rmdir, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { SlipwayError } from "@slipway/durable/errors";
import type { SharedPath } from "./contract.ts";
import { kindAt, outOfBounds, resolveWithoutLinks } from "./paths.ts";

export interface MountPoints {
  readonly git: "file" | "directory";
  readonly shared: readonly SharedPath[];
  /** Takes back what was made only to mount on. */
  release(): Promise<void>;
}

/**
 * bubblewrap would leave an empty file or folder on the host wherever it mounts on nothing. So the mount points are made
 * here, and taken back afterwards. An empty .git means nothing to git: after a kill it is recognised as left over by
 * the next run, and taken back then.
 */
export async function prepareMountPoints(worktree: string, shared: readonly SharedPath[]): Promise<MountPoints> {
  const releases: (() => Promise<void>)[] = [];
  const release = async () => {
    for (const undo of releases.splice(0).toReversed()) await undo();
  };
  try {
    const git = await gitMountPoint(worktree, releases);
    const resolved: SharedPath[] = [];
    for (const [index, path] of shared.entries()) resolved.push(await sharedMountPoint(worktree, path, `shared[${index}]`, releases));
    return { git, shared: resolved, release };
  } catch (error) {
    await release();
    throw error;
  }
}

/** Unlinking a mount point lifts the mount in every sandbox that uses it: the last one out takes it back. */
const placeholders = new Map<string, number>();

async function gitMountPoint(worktree: string, releases: (() => Promise<void>)[]): Promise<"file" | "directory"> {
  const path = join(worktree, ".git");
  const kind = await kindAt(path);
  if (kind === "folder") return "directory";
  if (kind === "link" || kind === "other") throw outOfBounds(worktree, ".git", "worktree");
  if (kind === "missing") await createEmpty(path);
  if ((await lstat(path)).size > 0) return "file";
  placeholders.set(path, (placeholders.get(path) ?? 0) + 1);
  releases.push(async () => {
    const users = (placeholders.get(path) ?? 1) - 1;
    placeholders.set(path, users);
    if (users > 0) return;
    placeholders.delete(path);
    await unlink(path).catch(ignoreMissing);
  });
  return "file";
}

async function createEmpty(path: string): Promise<void> {
  const handle = await open(path, "wx", 0o444).catch((error: NodeJS.ErrnoException) => {
    // Another run in this worktree was quicker.
    if (error.code === "EEXIST") return null;
    throw error;
  });
  await handle?.close();
}

async function sharedMountPoint(worktree: string, path: SharedPath, field: string, releases: (() => Promise<void>)[]): Promise<SharedPath> {
  const to = await resolveWithoutLinks(worktree, path.to, `${field}.to`);
  const from = await realpath(path.from).catch((cause: unknown) => {
    throw new SlipwayError("input_path_not_found", `${field}.from "${path.from}" does not exist.`, { field: `${field}.from` }, { cause });
  });
  const wanted = await kindAt(from);
  const found = await kindAt(to);
  if (found === "missing") await (wanted === "folder" ? createFolders(to, releases) : createFile(to, releases));
  else if (found !== wanted) throw outOfBounds(worktree, path.to, `${field}.to`);
  return { from, to };
}

async function createFolders(path: string, releases: (() => Promise<void>)[]): Promise<void> {
  if ((await kindAt(path)) !== "missing") return;
  await createFolders(dirname(path), releases);
  await mkdir(path, { recursive: true });
  releases.push(() => rmdir(path).catch(ignoreUse));
}

async function createFile(path: string, releases: (() => Promise<void>)[]): Promise<void> {
  await createFolders(dirname(path), releases);
  await createEmpty(path);
  releases.push(() => unlink(path).catch(ignoreMissing));
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOENT") throw error;
}

/** The command wrote beside the mount point, or another sandbox still uses it. */
function ignoreUse(error: NodeJS.ErrnoException): void {
  if (!["ENOENT", "ENOTEMPTY", "EBUSY", "EEXIST"].includes(error.code ?? "")) throw error;
}
