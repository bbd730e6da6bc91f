import { anchorsIn, type FeatureAnchors } from "./change/work/anchors.ts";
import { describeHandWork, handWorkIn } from "./change/work/reconcile-worktree.ts";
import { toolchainOf } from "./change/judge/toolchain.ts";
import type { Feature } from "./change/feature/store.ts";
import { committedConfiguration, readerAt, type Committed } from "./config/committed-files.ts";
import type { Configuration } from "./config/load.ts";
import type { ReadFile } from "./host/files/read-file.ts";
import { diffBytes, type DiffOptions } from "./host/git/change.ts";
import { commitNow } from "./host/git/commit-now.ts";
import { describeRepository, openRepository, type Repository, type RepositoryDescription } from "./host/git/repository.ts";
import { assertOwnRepository } from "./host/git/ownership.ts";
import { readRegularFile } from "./host/git/tree-files.ts";
import { layoutOf, type Anchors } from "./host/layout.ts";
import type { Environment } from "./host/places.ts";
import type { Sandbox } from "./host/sandbox/contract.ts";
import type { Toolchain } from "./host/toolchain/resolve.ts";

/** A repository for commands that look at it: questions that git answers, without git. */
export interface RepositoryView extends Anchors {
  /** The folder of new worktrees, unless the policy names another one. */
  readonly worktrees: string;
  readonly anchors: FeatureAnchors;
  describe(): Promise<RepositoryDescription>;
  /** Refuses a repository of another user, in which nothing is started and nothing written. */
  assertOwn(env: Environment): Promise<void>;
  /** What git tracks and what it would track; some of it may be deleted on disk. */
  files(): Promise<string[]>;
  isTracked(path: string): Promise<boolean>;
  /** The configuration that counts; throws where it is missing or invalid. */
  committed(): Promise<Committed>;
  /** See `readerAt`: throws for a file that exists and is not committed. */
  readerAt(revision: string): ReadFile;
  /** `revision` is HEAD or the full name of a ref. */
  hasCommit(revision: string): Promise<boolean>;
  /** Null where the revision does not exist or has no such regular file. */
  fileAt(revision: string, path: string): Promise<Uint8Array | null>;
  diff(from: string, to: string, options?: DiffOptions): Promise<Buffer>;
  /** What a person has done by hand in the feature's worktree, in words; null when there is nothing, or no worktree. */
  handWork(feature: Feature): Promise<string | null>;
  toolchain(configuration: Configuration, env: Environment, sandbox: Sandbox): Promise<Toolchain>;
}

export interface ViewOptions {
  readonly cwd: string;
  readonly env: Environment;
  /** A repository without a commit is refused unless this is set. */
  readonly allowUnborn?: boolean;
}

export async function openRepositoryView({ cwd, env, allowUnborn = false }: ViewOptions): Promise<RepositoryView> {
  return repositoryView(await openRepository(cwd, { env, allowUnborn }));
}

export function repositoryView(repository: Repository): RepositoryView {
  const { root, commonDir, ungated, git } = repository;
  const layout = layoutOf(repository);
  const listed = async (...asked: readonly string[]) =>
    (await git.text(["ls-files", "-z", ...asked])).split("\0").filter((path) => path !== "");
  return {
    root,
    commonDir,
    worktrees: ungated.worktrees,
    anchors: anchorsIn(repository),
    describe: () => describeRepository(repository),
    assertOwn: (env) => assertOwnRepository(repository, env),
    files: async () => [...new Set(await listed("--cached", "--others", "--exclude-standard"))],
    isTracked: async (path) => (await listed("--", path)).length > 0,
    committed: () => committedConfiguration(repository),
    readerAt: (revision) => readerAt(repository, revision),
    hasCommit: async (revision) => (await commitNow(repository, revision)) !== null,
    async fileAt(revision, path) {
      const commit = await commitNow(repository, revision);
      return commit === null ? null : readRegularFile(repository, commit, path);
    },
    diff: (from, to, options) => diffBytes(repository, from, to, options),
    async handWork(feature) {
      const found = await handWorkIn({ repository, layout }, feature);
      return found === null ? null : describeHandWork(found);
    },
    toolchain: (configuration, hostEnv, sandbox) => toolchainOf({ repository, layout, configuration, hostEnv }, sandbox),
  };
}
