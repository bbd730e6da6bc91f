import { dirname, join } from "node:path";
import { withOwnLock } from "./locks.ts";
import { isObjectId, isSafeBranch } from "./names.ts";
import { resolveCommit } from "./branch.ts";
import { moveRef } from "./fast-path/git-queries.ts";
import type { Repository } from "./repository.ts";
import { syncFolders } from "./sync.ts";

/** One part, and nothing that git could read as an option, a revision or an object id. */
export function isTagName(name: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name) && isSafeBranch(name) && !isObjectId(name);
}

/** The commit that the tag names; null if there is no such tag. */
export async function taggedCommit(repo: Repository, tag: string): Promise<string | null> {
  return isTagName(tag) ? resolveCommit(repo, refOf(tag)) : null;
}

/** Creates a lightweight tag. An existing tag is not moved. Returns the commit that the tag names afterwards. */
export async function ensureTag(repo: Repository, tag: string, commit: string): Promise<string | null> {
  const ref = refOf(tag);
  const file = join(repo.commonDir, ref);
  await withOwnLock(repo, file, () => moveRef(repo, { ref, to: commit, from: null }));
  // Also for an existing tag: its creator may have died before the fsync.
  await syncFolders(repo, dirname(file), { objects: false });
  return taggedCommit(repo, tag);
}

function refOf(tag: string): string {
  return `refs/tags/${tag}`;
}
