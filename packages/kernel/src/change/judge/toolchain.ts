import { realpathSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { removeTree } from "../../host/files/remove-tree.ts";
import { commitNow } from "../../host/git/commit-now.ts";
import type { Repository } from "../../host/git/repository.ts";
import { readRegularFile } from "../../host/git/tree-files.ts";
import type { Sandbox } from "../../host/sandbox/contract.ts";
import { versionOf } from "../../host/toolchain/program.ts";
import { resolveToolchain, type Toolchain } from "../../host/toolchain/resolve.ts";
import { wantedVersions, type WantedVersions } from "../../host/toolchain/version-files.ts";
import type { FeatureDependencies } from "../feature/dependencies.ts";

const NONE: WantedVersions = { node: null, python: null, tools: [] };
/** The files of a commit never change. */
const known = new WeakMap<Repository, { readonly commit: string; readonly wanted: Promise<WantedVersions> }>();

/** The project's toolchain, from the caller's environment and the version files on the base branch. */
export async function toolchainOf(
  {
    repository,
    layout,
    configuration: { policy },
    hostEnv,
  }: Pick<FeatureDependencies, "repository" | "layout" | "configuration" | "hostEnv">,
  sandbox: Sandbox,
): Promise<Toolchain> {
  return resolveToolchain({
    env: hostEnv,
    inheritsPath: policy.execution.env_allowlist.includes("PATH"),
    wanted: await wantedAt(repository, policy.worktree.base_branch),
    shared: policy.sandbox.shared_paths.map((path) => join(layout.root, path)),
    own: { program: realpathSync(process.execPath), version: process.versions.node },
    versionOf: (program, readOnly) => inEmptyFolder((worktree) => versionOf(program, { sandbox, worktree, readOnly })),
  });
}

async function wantedAt(repository: Repository, branch: string): Promise<WantedVersions> {
  const commit = await commitNow(repository, `refs/heads/${branch}`);
  if (commit === null) return NONE;
  const cached = known.get(repository);
  if (cached?.commit === commit) return cached.wanted;
  const wanted = wantedVersions((path) => readRegularFile(repository, commit, path));
  known.set(repository, { commit, wanted });
  return wanted;
}

async function inEmptyFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "slipway-version-"));
  try {
    return await work(folder);
  } finally {
    await removeTree(folder);
  }
}
