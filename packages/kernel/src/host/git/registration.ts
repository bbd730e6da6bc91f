import { lstat, readdir, readFile, rename, rmdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { removeTree } from "../files/remove-tree.ts";
import { enterScratch, leaveScratch, registeredPath, replaceFile, scratchBeside } from "./worktree-record.ts";
import type { Repository } from "./repository.ts";
import { stderrOf } from "./runner.ts";

/** A worktree as git has it on its list. */
export interface Registration {
  readonly id: string;
  readonly path: string;
  /** Undefined when detached, or when a kill left the registration half made. */
  readonly branch: string | undefined;
}

/** Every linked worktree. The main working tree is not among them. */
export async function listRegistrations(repo: Repository): Promise<Registration[]> {
  const ids = await readdir(join(repo.commonDir, "worktrees")).catch(() => []);
  const found = await Promise.all(
    ids.map(async (id) => {
      const head = await readFile(join(repo.commonDir, "worktrees", id, "HEAD"), "utf8").catch(() => "");
      // Without a gitdir file nothing says where it was to be: only a kill inside `worktree add` leaves that.
      return { id, path: (await registeredPath(repo, id)) ?? "", branch: /^ref: refs\/heads\/(.+)\n?$/.exec(head)?.[1] };
    }),
  );
  return found;
}

const REGISTER_ATTEMPTS = 20;
const PAUSE_MS = 25;

/**
 * By force: a person may have the branch checked out elsewhere as well, and keeps it. git reads every registration first, and takes one that another `worktree add` has made but not yet written for a damaged one.
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

/** Takes a worktree off git's list. Its files, its branch and every commit stay. */
export async function unregister(repo: Repository, id: string): Promise<void> {
  await removeTree(join(repo.commonDir, "worktrees", id));
  // git removes the folder with its last entry, too.
  await rmdir(join(repo.commonDir, "worktrees")).catch(() => undefined);
}

/** Points a registration and a folder at each other. */
export async function connect(repo: Repository, id: string, path: string): Promise<void> {
  await replaceFile(join(repo.commonDir, "worktrees", id, "gitdir"), `${path}/.git\n`);
  // Made beside the worktree: whatever a kill leaves inside it looks like a person's.
  const place = { scratch: scratchBeside(path) };
  const folder = await enterScratch(place, "stage");
  try {
    await writeFile(join(folder, ".git"), pointerTo(repo, id));
    await rename(join(folder, ".git"), join(path, ".git"));
  } finally {
    await leaveScratch(place, folder);
  }
}

/** What the `.git` file of a worktree is to say. */
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
