import { lstat, readdir, readFile, rm, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { registeredPath, replaceFile } from "./place.ts";
import type { Repository } from "./repository.ts";

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

/** Takes a worktree off git's list. Its files, its branch and every commit stay. */
export async function unregister(repo: Repository, id: string): Promise<void> {
  await rm(join(repo.commonDir, "worktrees", id), { recursive: true, force: true });
  // git removes the folder with its last entry, too.
  await rmdir(join(repo.commonDir, "worktrees")).catch(() => undefined);
}

/** Points a registration and a folder at each other. */
export async function connect(repo: Repository, id: string, path: string): Promise<void> {
  await replaceFile(join(repo.commonDir, "worktrees", id, "gitdir"), `${path}/.git\n`);
  await replaceFile(join(path, ".git"), `gitdir: ${join(repo.commonDir, "worktrees", id)}\n`);
}

export async function isFolder(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined))?.isDirectory() === true;
}
