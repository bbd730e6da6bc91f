import { existsSync } from "node:fs";
import { join } from "node:path";
import { SlipwayError } from "@slipway/durable/errors";
import type { Repository } from "../git/repository.ts";
import { readBlob } from "../git/residents.ts";
import { loadConfiguration, type Configuration, type ReadFile } from "./load.ts";

/** From the base branch's commit, never from files on disk: a change cannot edit the gate it has to pass. */
export async function committedConfiguration(repository: Repository): Promise<Configuration> {
  return loadConfiguration(await committedReader(repository));
}

/** Reads the files of the base branch that the checked-out commit's policy names. */
export async function committedReader(repository: Repository): Promise<ReadFile> {
  const { policy } = await loadConfiguration(readerAt(repository, "HEAD"));
  const base = `refs/heads/${policy.worktree.base_branch}`;
  await assertBranch(repository, base, policy.worktree.base_branch);
  return readerAt(repository, base);
}

export function readerAt(repository: Repository, revision: string): ReadFile {
  return async (path) => {
    const listed = await repository.git.text(["ls-tree", "-z", "--end-of-options", revision, "--", path]);
    const oid = /^100\d{3} blob ([0-9a-f]+)\t/.exec(listed)?.[1];
    if (oid !== undefined) return readBlob(repository, oid);
    if (!existsSync(join(repository.root, path))) return null;
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

async function assertBranch(repository: Repository, ref: string, name: string): Promise<void> {
  const { exitCode } = await repository.git.run(["show-ref", "--verify", "--quiet", ref], { allowExit: [1] });
  if (exitCode === 0) return;
  throw new SlipwayError("config_invalid", `slipway/policy.yaml names the base branch "${name}", which does not exist.`, {
    file: "slipway/policy.yaml",
    field: "worktree.base_branch",
    suggested_next_actions: [`Create it (\`git branch ${name}\`) or name another one.`],
  });
}
