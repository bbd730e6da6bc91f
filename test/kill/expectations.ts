import { git, prepare, spawnChild } from "./flow.ts";
import { violations } from "./invariants.ts";

/** The tree an undisturbed run gives; throws if even that one is not clean. */
export async function undisturbedTree(features: "one" | "all" = "one"): Promise<string> {
  const flow = await prepare("main", features);
  const last = await spawnChild(flow, { atPoints: false });
  const tree = git(flow.folder, ["rev-parse", "main^{tree}"]).trim();
  const problems = await violations(flow, last, tree);
  if (problems.length > 0) throw new Error(`an undisturbed run is not clean:\n${problems.join("\n")}`);
  return tree;
}
