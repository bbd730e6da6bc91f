import { modePassed } from "../judge/evidence/checks.ts";
import { treeOf } from "../../host/git/fast-path/git-queries.ts";
import { qaView } from "../judge/qa-operations.ts";
import type { RetryFacts } from "./retry-rules.ts";
import type { FeatureDependencies } from "../feature/dependencies.ts";
import { acceptedPlan, findFeature, type Feature } from "../feature/store.ts";

/** The recorded results of a feature that are still valid. Reads only. */
export async function retryFacts(dependencies: FeatureDependencies, id: string): Promise<RetryFacts> {
  const { db, configuration } = dependencies;
  const { policy, policyHash } = configuration;
  const feature = await findFeature(db, id);
  const modes = new Set([...policy.required_modes, "full", policy.required_merge_mode]);
  const missingModes: string[] = [];
  for (const mode of modes)
    if (!(await modePassed(db, { feature_id: id, mode, tree: feature.tree, policy: policyHash }))) missingModes.push(mode);
  const { pending } = await qaView(db, id);
  return {
    plan: (await acceptedPlan(db, id))?.plan_version ?? null,
    tree: (await isBuilt(dependencies, feature)) ? feature.tree : null,
    missingModes,
    untested: pending.reduce((sum, { hunks }) => sum + hunks.length, 0),
  };
}

/** An anchor keeps the objects of every recorded tree, but the anchor may have been removed. */
export async function isBuilt({ repository }: FeatureDependencies, { tree, base_commit }: Feature): Promise<boolean> {
  const { exitCode } = await repository.git.run(["cat-file", "-e", `${tree}^{tree}`], { allowExit: [1, 128] });
  return exitCode === 0 && tree !== (await treeOf(repository, base_commit));
}
