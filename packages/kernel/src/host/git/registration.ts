import { lstat, readdir, readFile, rename, rmdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { removeTree } from "../files/remove-tree.ts";
import { enterScratch, leaveScratch, registeredPath, replaceFile, scratchBeside } from "./worktree-record.ts";
import type { Repository } from "./repository.ts";
import { stderrOf } from "./runner.ts";

/** A worktree in git's list. */
export interface Registration {
  readonly id: string;
  readonly path: string;
  /** Undefined if detached, or if a kill left the registration incomplete. */
  readonly branch: string | undefined;
}

/** All linked worktrees, without the main working tree. */
export async function listRegistrations(repo: Repository): Promise<Registration[]> {
  const ids = await readdir(join(repo.commonDir, "worktrees")).catch(() => []);
  const found = await Promise.all(
    ids.map(async (id) => {
      const head = await readFile(join(repo.commonDir, "worktrees", id, "HEAD"), "utf8").catch(() => "");
      // Without a gitdir file the path is unknown; only a kill inside `worktree add` leaves that.
      return { id, path: (await registeredPath(repo, id)) ?? "", branch: /^ref: refs\/heads\/(.+)\n?$/.exec(head)?.[1] };
    }),
  );
  return found;
}

const REGISTER_ATTEMPTS = 20;
const PAUSE_MS = 25;

/**
 * With --force, because a person may have the branch checked out elsewhere. Retries, because git reads all registrations first and takes one that another `worktree add` is still writing for damaged.
 */
export async function register(repo: Repository, draft: string, branch: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await repo.git.run(["worktree", "add", "--force", "--no-checkout", "--quiet", "--end-of-options", draft, branch]);
      return;
    } catch (error) {
      if (attempt === REGISTER_ATTEMPTS || !/failed to read .*\/worktrees\//.test(stderrOf(error))) throw error;
      await sleep(PAUSE_MS * attempt);
    }
  }
}

/** Removes a worktree from git's list. Its files, its branch and all commits stay. */
export async function unregister(repo: Repository, id: string): Promise<void> {
  await removeTree(join(repo.commonDir, "worktrees", id));
  // git also removes this folder with its last entry.
  await rmdir(join(repo.commonDir, "worktrees")).catch(() => undefined);
}

/** Links a registration and a folder to each other. */
export async function connect(repo: Repository, id: string, path: string): Promise<void> {
  await replaceFile(join(repo.commonDir, "worktrees", id, "gitdir"), `${path}/.git\n`);
  // Staged outside the worktree: a leftover of a kill inside it would look like a person's file.
  const place = { scratch: scratchBeside(path) };
  const folder = await enterScratch(place, "stage");
  try {
    await writeFile(join(folder, ".git"), pointerTo(repo, id));
    await rename(join(folder, ".git"), join(path, ".git"));
  } finally {
    await leaveScratch(place, folder);
  }
}

/** The content of a worktree's `.git` file. */
export function pointerTo(repo: Repository, id: string): string {
  return `gitdir: ${join(repo.commonDir, "worktrees", id)}\n`;
}

/** The repository was moved or copied, and the folder still belongs to its former place. */
export async function isForeign(repo: Repository, { id, path }: Registration): Promise<boolean> {
  const pointer = await readFile(join(path, ".git"), "utf8").catch(() => "");
  const [, target = ""] = /^gitdir: (.+)\n?$/.exec(pointer) ?? [];
  return target !== "" && resolve(path, target) !== join(repo.commonDir, "worktrees", id);
}

export async function isFolder(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined))?.isDirectory() === true;
}
