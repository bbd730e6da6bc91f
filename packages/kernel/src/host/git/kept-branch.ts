import { moveBranch, branchHead } from "./branch.ts";
import type { Repository } from "./repository.ts";

/** Prefixes of kept branches; the second is used if a branch has the name of the first. */
const FOLDERS = ["slipway/kept", "slipway-kept"] as const;

export const KEPT_REFS = FOLDERS.map((folder) => `refs/heads/${folder}`);

/** The first free name: `slipway/kept/<feature>-<n>`. */
export async function nextKeptBranch(repo: Repository, featureId: string): Promise<string> {
  const folder = (await branchHead(repo, "slipway")) === null ? FOLDERS[0] : FOLDERS[1];
  const taken = new Set((await repo.git.text(["for-each-ref", "--format=%(refname:strip=2)", `refs/heads/${folder}`])).split("\n"));
  for (let number = 1; ; number++) {
    const name = `${folder}/${featureId}-${number}`;
    if (!taken.has(name)) return name;
  }
}

/** Keeps a commit on a new branch that a person can see and check out. Returns its name. */
export async function keepOnBranch(repo: Repository, featureId: string, commit: string): Promise<string> {
  const name = await nextKeptBranch(repo, featureId);
  await moveBranch(repo, name, commit, null);
  return name;
}
