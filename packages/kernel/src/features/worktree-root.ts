import { join, relative } from "node:path";
import { SlipwayError } from "@slipway/durable/errors";
import { excludeLocally } from "../git/repository.ts";
import type { Rooms } from "./rooms.ts";

type RootRooms = Pick<Rooms, "layout" | "configuration" | "repository">;

/** `policy.worktree.root` is a path inside the repository by its schema; what a link makes of it is judged where the worktree is made. */
export function worktreeOf({ layout, configuration }: Pick<RootRooms, "layout" | "configuration">, id: string): string {
  return join(layout.root, configuration.policy.worktree.root, id);
}

/** Keeps state and worktrees out of `git status`. The root must hold nothing that is versioned: whatever is below it is hidden from git. */
export async function prepareWorktreeRoot({ layout, configuration, repository }: RootRooms): Promise<void> {
  const { root, base_branch } = configuration.policy.worktree;
  const state = relative(layout.root, layout.state);
  if (root === state || root.startsWith(`${state}/`)) throw unusable(root, `${state} is where Slipway keeps its records`);
  const listing = ["ls-tree", "-z", "--name-only", "--end-of-options", `refs/heads/${base_branch}`, `${root}/`];
  // A base that is not there is told by whoever makes the worktree.
  const [versioned = ""] = (await repository.git.text(listing, { allowExit: [128] })).split("\0");
  if (versioned !== "") throw unusable(root, `it holds files of ${base_branch}, such as ${versioned}`);
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
