import { dirname, join, relative } from "node:path";
import { SlipwayError } from "../../schema/errors.ts";
import { makePrivateFolder } from "../../host/files/private-folder.ts";
import { placeOf } from "../../host/git/worktree-record.ts";
import { excludeLocally } from "../../host/git/repository.ts";
import { makeUngatedFolder } from "../../host/ungated-folder.ts";
import type { FeatureDependencies } from "../feature/dependencies.ts";

type RootDependencies = Pick<FeatureDependencies, "layout" | "configuration" | "repository">;

/** `policy.worktree.root` is a path inside the repository by its schema; links in it are checked when the worktree is created. */
export function worktreeOf({ configuration, repository }: Pick<RootDependencies, "configuration" | "repository">, id: string): string {
  const { root } = configuration.policy.worktree;
  return root === undefined ? join(repository.ungated.worktrees, id) : join(repository.root, root, id);
}

/** The folder is private to this user and ignored by git. A root in the checkout must not contain versioned files: git would hide them. */
export async function prepareWorktreeRoot({ layout, configuration, repository }: RootDependencies): Promise<void> {
  const { root, base_branch } = configuration.policy.worktree;
  const state = relative(layout.root, layout.state);
  if (root === undefined) {
    makeUngatedFolder(repository, repository.ungated.worktrees);
    await excludeLocally(repository, [`${state}/`]);
    return;
  }
  if (root === state || root.startsWith(`${state}/`)) throw unusable(root, `Slipway keeps its records in ${state}`);
  const listing = ["ls-tree", "-z", "--name-only", "--end-of-options", `refs/heads/${base_branch}`, `${root}/`];
  // A missing base is reported when the worktree is created.
  const [versioned = ""] = (await repository.git.text(listing, { allowExit: [128] })).split("\0");
  if (versioned !== "") throw unusable(root, `it contains files of ${base_branch}, such as ${versioned}`);
  // `placeOf` refuses a link in the path before anything is created behind it.
  makePrivateFolder(dirname((await placeOf(repository, join(root, "x"))).path));
  // Anchored to the root of the repository: a folder of the same name elsewhere must not be ignored.
  const pattern = root === DEFAULT_ROOT ? `${root}/` : `/${root.replaceAll(/[\\*?[\]!#\s]/g, "\\$&")}/`;
  await excludeLocally(repository, [`${state}/`, pattern]);
}

const DEFAULT_ROOT = ".worktrees";

function unusable(root: string, why: string): SlipwayError {
  return new SlipwayError("path_out_of_bounds", `Worktrees cannot be in ${root}: ${why}.`, {
    file: "slipway/policy.yaml",
    field: "worktree.root",
    path: root,
    suggested_next_actions: ["Set worktree.root in slipway/policy.yaml to a separate folder, such as .worktrees."],
  });
}
