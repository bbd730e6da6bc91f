import { resolveCommit } from "./branch.ts";
import { refSigns } from "./fast-path/ref-signs.ts";
import type { Repository } from "./repository.ts";

interface Known {
  readonly signs: string;
  readonly commit: string | null;
}

const known = new WeakMap<Repository, Map<string, Known>>();

/** The current commit of HEAD or a ref (`refs/…`), from a cache as long as the ref files are unchanged. */
export async function commitNow(repo: Repository, name: string): Promise<string | null> {
  const commits = known.get(repo) ?? new Map<string, Known>();
  known.set(repo, commits);
  // Read the signs before asking git, so that a change in between is noticed the next time.
  const signs = refSigns(repo, name === "HEAD" ? [] : [name]);
  const found = commits.get(name);
  if (found?.signs === signs) return found.commit;
  const commit = await resolveCommit(repo, name);
  commits.set(name, { signs, commit });
  return commit;
}
