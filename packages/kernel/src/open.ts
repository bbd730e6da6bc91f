import { openApprovalKey } from "./change/land/approvals/key.ts";
import { committedConfiguration, type Committed } from "./config/committed-files.ts";
import { assertShownPaths } from "./config/shown-paths.ts";
import { committedFiles } from "./config/trust/configuration-files.ts";
import { configurationTrust, requireTrust, type AskTrust, type ConfigurationTrust } from "./config/trust/trust.ts";
import type { Configuration } from "./config/load.ts";
import type { ReadFile } from "./host/files/read-file.ts";
import { reconcile } from "./host/git/reconcile.ts";
import { refSigns } from "./host/git/fast-path/ref-signs.ts";
import { assertOwnRepository } from "./host/git/ownership.ts";
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
import type { Sandbox, SandboxOverride } from "./host/sandbox/contract.ts";
import { recordOverride } from "./change/judge/sandbox-override.ts";
import { hiddenPlaces } from "./host/sandbox/hidden-places.ts";
import { onFirstUse } from "./host/sandbox/on-first-use.ts";
import { openSandbox } from "./host/sandbox/sandbox.ts";
import { unsandboxed } from "./host/sandbox/unsandboxed.ts";

export interface OpenAt {
  readonly cwd: string;
  readonly env: Environment;
  /** How a person is asked whether they trust the configuration; without it, one that is not trusted is refused. */
  readonly askTrust?: AskTrust | undefined;
  /** False for what starts no program of the repository: then trust is required by the first program that starts. */
  readonly startsPrograms?: boolean;
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
  /** The same sandbox for a configuration that was committed later. */
  readonly sandboxBehind: (trust: ConfigurationTrust) => () => Promise<Sandbox>;
  /** Finishes, takes back or removes what a killed process left in git. Only for the supervisor, or where there is none. */
  reconcile(): Promise<void>;
}

/**
 * Finds the repository and reads what is committed; nothing of `.slipway` is touched yet. The sandbox of an untrusted configuration does
 * not open.
 */
export async function openRepositoryContext(options: OpenAt): Promise<RepositoryContext> {
  const { cwd, env, unsandboxed: override, askTrust, startsPrograms = true } = options;
  const { configHome } = placesIn(env);
  const repository = await openRepository(cwd, { env });
  await assertOwnRepository(repository, env);
  const { trust, ...loaded } = await load(repository, env);
  if (startsPrograms) await requireTrust(trust, askTrust);
  await excludeLocally(repository, [".slipway/", ".worktrees/"]);
  const approvalKey = await openApprovalKey({ configHome, repositoryRoot: repository.root });
  const opened = onFirstUse(async () => (override === undefined ? openSandbox({ hidden: hiddenPlaces(env) }) : unsandboxed(override)));
  const behind = (own: ConfigurationTrust, ask?: AskTrust) => onFirstUse(async () => requireTrust(own, ask).then(opened));
  return {
    repository,
    approvalKey,
    hostEnv: env,
    sandbox: behind(trust, askTrust),
    // Nobody is asked while a server runs.
    sandboxBehind: (later) => behind(later),
    ...loaded,
    reconcile: async () => void (await reconcile(repository)),
  };
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
  const open = async (configuration: Configuration, sandbox: RepositoryContext["sandbox"]) => {
    const signs = signsOf(repository, configuration);
    const trees = await treesOf(repository, configuration);
    return { configuration, kernel: openKernel({ ...ground, records, configuration, sandbox }), signs, trees };
  };
  let current = await open(ground.configuration, ground.sandbox);
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
      const { configuration, readFile, trust } = await load(repository, env);
      await check?.(readFile);
      current = await open(configuration, ground.sandboxBehind(trust));
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

async function load(repository: Repository, env: Environment): Promise<Committed & { readonly trust: ConfigurationTrust }> {
  const committed = await committedConfiguration(repository);
  const { configHome } = placesIn(env);
  assertShownPaths(committed.configuration.policy, repository.root, env);
  const files = await committedFiles(repository, committed.commit);
  return { ...committed, trust: configurationTrust({ ...repository, configHome }, files, committed.configuration) };
}

function signsOf(repository: Repository, { policy }: Configuration): string {
  return refSigns(repository, [`refs/heads/${policy.worktree.base_branch}`]);
}

/** The committed folder of the configuration, at HEAD and on the branch it is read from. */
async function treesOf({ git }: Repository, { policy }: Configuration): Promise<string> {
  const input = `HEAD:slipway\nrefs/heads/${policy.worktree.base_branch}:slipway\n`;
  return git.text(["cat-file", "--batch-check=%(objectname)"], { input });
}
