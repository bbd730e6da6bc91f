import { existsSync } from "node:fs";
import { join, posix } from "node:path";
import { SlipwayError } from "../schema/errors.ts";
import { commitNow } from "../host/git/commit-now.ts";
import type { Repository } from "../host/git/repository.ts";
import { readRegularFile } from "../host/git/tree-files.ts";
import type { ReadFile } from "../host/files/read-file.ts";
import { loadConfiguration, type Configuration } from "./load.ts";

export interface Committed {
  readonly configuration: Configuration;
  /** Reads the same branch's files. */
  readonly readFile: ReadFile;
}

/**
 * Reads the base branch's commit, never files on disk: a change cannot edit the gate it must pass. The policy of the checked-out commit
 * names the branch.
 */
export async function committedConfiguration(repository: Repository): Promise<Committed> {
  const atHead = await loadConfiguration(readerAt(repository, "HEAD"));
  const name = atHead.policy.worktree.base_branch;
  const base = `refs/heads/${name}`;
  const [head, commit] = [await commitNow(repository, "HEAD"), await commitNow(repository, base)];
  if (commit === null) throw noBranch(name);
  const readFile = readerAt(repository, base);
  return { configuration: commit === head ? atHead : await loadConfiguration(readFile), readFile };
}

/** `revision` is HEAD or the full name of a ref; it is resolved at every read. */
export function readerAt(repository: Repository, revision: string): ReadFile {
  return async (path) => {
    const commit = await commitNow(repository, revision);
    const found = commit === null ? null : await readRegularFile(repository, commit, posix.normalize(path));
    if (found !== null || !existsSync(join(repository.root, path))) return found;
    throw new SlipwayError(
      "config_missing",
      `${path} exists but is not committed on ${revision.replace("refs/heads/", "")}; only committed configuration counts.`,
      {
        file: path,
        suggested_next_actions: ['Commit it: `git add slipway && git commit -m "Add Slipway configuration"`.'],
      },
    );
  };
}

function noBranch(name: string): SlipwayError {
  return new SlipwayError("config_invalid", `slipway/policy.yaml names the base branch "${name}", which does not exist.`, {
    file: "slipway/policy.yaml",
    field: "worktree.base_branch",
    suggested_next_actions: [`Create it (\`git branch ${name}\`) or name another one.`],
  });
}
