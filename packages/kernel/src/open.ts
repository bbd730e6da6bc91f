import { assertKeysOutOfSight } from "./change/land/approvals/out-of-sight.ts";
import { openApprovalKey } from "./change/land/approvals/key.ts";
import { committedConfiguration, type Committed } from "./config/committed-files.ts";
import type { Configuration } from "./config/load.ts";
import type { ReadFile } from "./host/files/read-file.ts";
import { reconcile } from "./host/git/reconcile.ts";
import { refSigns } from "./host/git/fast-path/ref-signs.ts";
import { excludeLocally, openRepository, type Repository } from "./host/git/repository.ts";
import { assertNotRolledBack, keepHeads } from "./record/journal/heads.ts";
import { openKernel, type Kernel, type KernelOptions } from "./kernel.ts";
import { layoutOf } from "./host/layout.ts";
import type { DoorEvent } from "./record/operations/door.ts";
import { placesIn, type Environment } from "./host/places.ts";
import { openRecords } from "./open-records.ts";
import type { Records } from "./record/storage.ts";
import { restoreFiles } from "./restore-files.ts";
import { liveSupervisor } from "./record/run-lease/holder.ts";
import type { SandboxOverride } from "./host/sandbox/contract.ts";
import { recordOverride } from "./change/judge/sandbox-override.ts";
import { onFirstUse } from "./host/sandbox/on-first-use.ts";
import { openSandbox } from "./host/sandbox/sandbox.ts";
import { unsandboxed } from "./host/sandbox/unsandboxed.ts";

export interface OpenAt {
  readonly cwd: string;
  readonly env: Environment;
  /** A person's word that gates may run without a sandbox; it is recorded. */
  readonly unsandboxed?: SandboxOverride | undefined;
  /** Looks at the configuration's files once more, and throws when they will not do. */
  readonly check?: (readFile: ReadFile) => Promise<void>;
  readonly observe?: ((event: DoorEvent) => void) | undefined;
}

/** A repository that stays open for longer than one command. */
export interface OpenedRepository {
  readonly records: Records;
  /** Under the configuration that is committed now: a server outlives a change of policy. */
  kernel(): Promise<Kernel>;
  close(): Promise<void>;
}

/** What a kernel stands on besides its records. */
export interface RepositoryContext extends Omit<KernelOptions, "records"> {
  readonly readFile: ReadFile;
  /** Finishes, takes back or removes what a killed process left in git. Only for the supervisor, or where there is none. */
  reconcile(): Promise<void>;
}

/** Finds the repository and reads what is committed; nothing of `.slipway` is touched yet. */
export async function openRepositoryContext({ cwd, env, unsandboxed: override }: OpenAt): Promise<RepositoryContext> {
  const { configHome } = placesIn(env);
  const repository = await openRepository(cwd, { env });
  const loaded = await load(repository, env);
  await excludeLocally(repository, [".slipway/", ".worktrees/"]);
  const approvalKey = await openApprovalKey({ configHome, repositoryRoot: repository.root });
  const sandbox = onFirstUse(async () => (override === undefined ? openSandbox() : unsandboxed(override)));
  return { repository, approvalKey, hostEnv: env, sandbox, ...loaded, reconcile: async () => void (await reconcile(repository)) };
}

export async function openKernelAt(options: OpenAt): Promise<OpenedRepository> {
  const { env, unsandboxed: override, check, observe } = options;
  const { stateHome } = placesIn(env);
  const ground = await openRepositoryContext(options);
  const { repository } = ground;
  await check?.(ground.readFile);
  const records = await openRecords({ layout: layoutOf(repository), ...(observe === undefined ? {} : { observe }) });
  await assertNotRolledBack(stateHome, records);
  if (override !== undefined) await recordOverride(records.door, { type: "person", id: override.by }, "mcp", override.reason);
  const open = async (configuration: Configuration) => {
    const signs = signsOf(repository, configuration);
    const trees = await treesOf(repository, configuration);
    return { configuration, kernel: openKernel({ ...ground, records, configuration }), signs, trees };
  };
  let current = await open(ground.configuration);
  await restoreFiles(records, env, () => undefined);
  await mend(ground, current.kernel);
  return {
    records,
    async kernel() {
      // Asked at every call, so first without git.
      const signs = signsOf(repository, current.configuration);
      if (signs === current.signs) return current.kernel;
      if ((await treesOf(repository, current.configuration)) === current.trees) {
        current = { ...current, signs };
        return current.kernel;
      }
      const { configuration, readFile } = await load(repository, env);
      await check?.(readFile);
      current = await open(configuration);
      return current.kernel;
    },
    async close() {
      await keepHeads(stateHome, records);
      await records.close();
    },
  };
}

/** What a killed process left, unless a supervisor is at work: then it is in good hands, or in use. */
async function mend(ground: RepositoryContext, { records, features }: Kernel): Promise<void> {
  if ((await liveSupervisor(records)) !== null) return features.restoreProjections();
  await ground.reconcile();
  await features.repairProjections();
}

async function load(repository: Repository, env: Environment): Promise<Committed> {
  const committed = await committedConfiguration(repository);
  assertKeysOutOfSight(committed.configuration.policy, placesIn(env).configHome, env);
  return committed;
}

function signsOf(repository: Repository, { policy }: Configuration): string {
  return refSigns(repository, [`refs/heads/${policy.worktree.base_branch}`]);
}

/** The committed folder of the configuration, at HEAD and on the branch it is read from. */
async function treesOf({ git }: Repository, { policy }: Configuration): Promise<string> {
  const input = `HEAD:slipway\nrefs/heads/${policy.worktree.base_branch}:slipway\n`;
  return git.text(["cat-file", "--batch-check=%(objectname)"], { input });
}
