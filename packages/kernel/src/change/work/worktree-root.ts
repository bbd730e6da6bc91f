import { dirname, join, relative } from "node:path";
import { SlipwayError } from "@slipway/durable/errors";
import { makePrivateFolder } from "../../host/files/private-folder.ts";
import { placeOf } from "../../host/git/worktree-record.ts";
import { excludeLocally } from "../../host/git/repository.ts";
import { makeUngatedFolder } from "../../host/ungated.ts";
import type { Rooms } from "../feature/dependencies.ts";

type RootRooms = Pick<Rooms, "layout" | "configuration" | "repository">;

/** `policy.worktree.root` is a path inside the repository by its schema; what a link makes of it is judged where the worktree is made. */
export function worktreeOf({ configuration, repository }: Pick<RootRooms, "configuration" | "repository">, id: string): string {
  const { root } = configuration.policy.worktree;
  return root === undefined ? join(repository.ungated.worktrees, id) : join(repository.root, root, id);
}

/** Only this user may enter it, and git does not see it. One in the checkout must hold nothing that is versioned: git would hide it. */
export async function prepareWorktreeRoot({ layout, configuration, repository }: RootRooms): Promise<void> {
  const { root, base_branch } = configuration.policy.worktree;
  const state = relative(layout.root, layout.state);
  if (root === undefined) {
    makeUngatedFolder(repository, repository.ungated.worktrees);
    await excludeLocally(repository, [`${state}/`]);
    return;
  }
  if (root === state || root.startsWith(`${state}/`)) throw unusable(root, `${state} is where Slipway keeps its records`);
  const listing = ["ls-tree", "-z", "--name-only", "--end-of-options", `refs/heads/${base_branch}`, `${root}/`];
  // A base that is not there is told by whoever makes the worktree.
  const [versioned = ""] = (await repository.git.text(listing, { allowExit: [128] })).split("\0");
  if (versioned !== "") throw unusable(root, `it holds files of ${base_branch}, such as ${versioned}`);
  // A link on the way is refused there, before anything is made behind it.
  makePrivateFolder(dirname((await placeOf(repository, join(root, "x"))).path));
  // Elsewhere than in the root of the repository a folder of that name is nobody's business.
  const pattern = root === DEFAULT_ROOT ? `${root}/` : `/${root.replaceAll(/[\\*?[\]!#\s]/g, "\\$&")}/`;
  await excludeLocally(repository, [`${state}/`, pattern]);
}

const DEFAULT_ROOT = ".worktrees";

function unusable(root: string, why: string): SlipwayError {
  return new SlipwayError("path_out_of_bounds", `Worktrees cannot be at ${root}: ${why}.`, {
    file: "slipway/policy.yaml",
    field: "worktree.root",
    path: root,
    suggested_next_actions: ["Set worktree.root in slipway/policy.yaml to a folder of its own, such as .worktrees."],
  });
}
