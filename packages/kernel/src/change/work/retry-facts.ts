import { modePassed } from "../judge/evidence/checks.ts";
import { treeOf } from "../../host/git/fast-path/git-queries.ts";
import { qaView } from "../judge/qa-operations.ts";
import type { RetryFacts } from "./retry-rules.ts";
import type { Rooms } from "../feature/dependencies.ts";
import { acceptedPlan, findFeature, type Feature } from "../feature/store.ts";

/** What stands of a feature by the kernel's own records. Only looks. */
export async function retryFacts(rooms: Rooms, id: string): Promise<RetryFacts> {
  const { db, configuration } = rooms;
  const { policy, policyHash } = configuration;
  const feature = await findFeature(db, id);
  const modes = new Set([...policy.required_modes, "full", policy.required_merge_mode]);
  const missingModes: string[] = [];
  for (const mode of modes)
    if (!(await modePassed(db, { feature_id: id, mode, tree: feature.tree, policy: policyHash }))) missingModes.push(mode);
  const { pending } = await qaView(db, id);
  return {
    plan: (await acceptedPlan(db, id))?.plan_version ?? null,
    tree: (await isBuilt(rooms, feature)) ? feature.tree : null,
    missingModes,
    untested: pending.reduce((sum, { hunks }) => sum + hunks.length, 0),
  };
}

/** An anchor keeps the objects of every tree that was recorded; somebody may have removed the anchor. */
export async function isBuilt({ repository }: Rooms, { tree, base_commit }: Feature): Promise<boolean> {
  const { exitCode } = await repository.git.run(["cat-file", "-e", `${tree}^{tree}`], { allowExit: [1, 128] });
  return exitCode === 0 && tree !== (await treeOf(repository, base_commit));
}
