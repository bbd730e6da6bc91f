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
  /** The commit that the configuration was read from. */
  readonly commit: string;
  /** Reads the same branch's files, as they are then. */
  readonly readFile: ReadFile;
}

/**
 * Reads the base branch's commit, never files on disk: a change cannot edit the gate it must pass. The policy of the checked-out commit
 * names the branch.
 */
export async function committedConfiguration(repository: Repository): Promise<Committed> {
  const head = await commitNow(repository, "HEAD");
  const atHead = await loadConfiguration((path) => readCommitted(repository, head, path, "HEAD"));
  const name = atHead.policy.worktree.base_branch;
  const base = `refs/heads/${name}`;
  const commit = await commitNow(repository, base);
  if (commit === null) throw noBranch(name);
  const configuration = commit === head ? atHead : await loadConfiguration((path) => readCommitted(repository, commit, path, base));
  return { configuration, commit, readFile: readerAt(repository, base) };
}

/** `revision` is HEAD or the full name of a ref; it is resolved at every read. */
export function readerAt(repository: Repository, revision: string): ReadFile {
  return async (path) => readCommitted(repository, await commitNow(repository, revision), path, revision);
}

async function readCommitted(repository: Repository, commit: string | null, path: string, revision: string): Promise<Uint8Array | null> {
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
}

function noBranch(name: string): SlipwayError {
  return new SlipwayError("config_invalid", `slipway/policy.yaml names the base branch "${name}", which does not exist.`, {
    file: "slipway/policy.yaml",
    field: "worktree.base_branch",
    suggested_next_actions: [`Create it (\`git branch ${name}\`) or name another one.`],
  });
}
