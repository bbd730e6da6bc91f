import { committedConfiguration } from "./config/committed-files.ts";
import { loadConfiguration, type Configuration } from "./config/load.ts";
import { committedFiles, filesOnDisk, readerOf, type ConfigurationFiles } from "./config/trust/configuration-files.ts";
import { configurationTrust, type ConfigurationTrust } from "./config/trust/trust.ts";
import { assertOwnRepository } from "./host/git/ownership.ts";
import { openRepository, type Repository } from "./host/git/repository.ts";
import { placesIn, type Environment } from "./host/places.ts";
import { SlipwayError } from "./schema/errors.ts";

export interface RepositoryTrust extends ConfigurationTrust {
  readonly configuration: Configuration;
  /** What was read: the base branch, or null for the working tree. */
  readonly branch: string | null;
}

interface At {
  readonly cwd: string;
  readonly env: Environment;
}

/** The trust in the committed configuration, or in the working tree's before its first commit. */
export async function openRepositoryTrust({ cwd, env }: At): Promise<RepositoryTrust> {
  const repository = await openRepository(cwd, { env, allowUnborn: true });
  await assertOwnRepository(repository, env);
  const committed = await committedConfiguration(repository).catch((error: unknown) => {
    // The working tree's may be the correction. No run uses it before it is committed.
    if (error instanceof SlipwayError) return null;
    throw error;
  });
  if (committed === null) return trustIn(repository, env, filesOnDisk(repository.root), null);
  const { policy } = committed.configuration;
  return trustIn(repository, env, await committedFiles(repository, committed.commit), policy.worktree.base_branch);
}

/** The trust in a configuration of these files alone, such as those that a command has just written for the person. */
export async function trustInFiles({ cwd, env }: At, files: Readonly<Record<string, string>>): Promise<RepositoryTrust> {
  const repository = await openRepository(cwd, { env, allowUnborn: true });
  return trustIn(repository, env, new Map(Object.entries(files).map(([path, text]) => [path, Buffer.from(text)])), null);
}

async function trustIn(
  repository: Repository,
  env: Environment,
  files: ConfigurationFiles,
  branch: string | null,
): Promise<RepositoryTrust> {
  const configuration = await loadConfiguration(readerOf(files));
  const { root, commonDir } = repository;
  return { ...configurationTrust({ root, commonDir, configHome: placesIn(env).configHome }, files, configuration), configuration, branch };
}
