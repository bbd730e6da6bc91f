import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { leaveScratch, type GitPlace } from "./worktree-record.ts";
import { connect, listRegistrations, pointerTo, unregister, type Registration } from "./registration.ts";
import type { Repository } from "./repository.ts";

/** Removes a worktree that a kill left unfinished; it contains no work yet. */
export async function dropDraft(repo: Repository, folder: string): Promise<void> {
  const scratch = dirname(dirname(folder));
  const names = await readdir(folder).catch((): string[] => []);
  for (const { id, path } of await listRegistrations(repo)) {
    // A registration without a path is one that git had only begun to write.
    if (dirname(path) !== folder && !(path === "" && names.includes(id.replace(/\d+$/, "")))) continue;
    const renamed = await pointingTo(repo, id, dirname(scratch));
    if (renamed === undefined) await unregister(repo, id);
    else await connect(repo, id, renamed);
  }
  await leaveScratch({ scratch }, folder);
}

/** The folder that was already renamed to its place before the kill, while its registration still names the draft. */
async function pointingTo(repo: Repository, id: string, parent: string): Promise<string | undefined> {
  for (const name of await readdir(parent).catch((): string[] => [])) {
    if ((await pointerOf(join(parent, name))) === pointerTo(repo, id)) return join(parent, name);
  }
  return undefined;
}

/** The content of a worktree's `.git` file; empty if there is none. */
export async function pointerOf(folder: string): Promise<string> {
  return readFile(join(folder, ".git"), "utf8").catch(() => "");
}

export function isDraft(place: Pick<GitPlace, "scratch">, { path }: Pick<Registration, "path">): boolean {
  return path.startsWith(`${join(place.scratch, "new")}/`);
}
