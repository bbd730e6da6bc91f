import { git, prepare, spawnChild } from "./flow.ts";
import { violations } from "./invariants.ts";

const trees = new Map<string, Promise<string>>();

/** The tree of an undisturbed run; throws if even that one is not clean. Computed once per process. */
export function undisturbedTree(features: "one" | "all" = "one"): Promise<string> {
  const found = trees.get(features) ?? undisturbed(features);
  trees.set(features, found);
  return found;
}

async function undisturbed(features: "one" | "all"): Promise<string> {
  const flow = await prepare("main", features);
  const last = await spawnChild(flow, { atPoints: false });
  const tree = git(flow.folder, ["rev-parse", "main^{tree}"]).trim();
  const problems = await violations(flow, last, tree);
  if (problems.length > 0) throw new Error(`an undisturbed run is not clean:\n${problems.join("\n")}`);
  return tree;
}
