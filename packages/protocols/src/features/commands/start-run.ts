import { SlipwayError } from "@slipway/durable/errors";
import { featuresNamed, type Feature } from "@slipway/kernel/change/feature/store";
import type { Spec } from "@slipway/kernel/change/plan/specs/read";
import { features, type FeaturesInput } from "../protocol.ts";
import type { Retry } from "../retrying.ts";
import type { FeatureInput } from "../schemas.ts";
import { isBranchTaken } from "@slipway/kernel/host/git/taken-branch";
import type { Starter } from "../../surface/surface.ts";

/** Records the run. The specifications are kept by digest: from here on nobody reads the user's files again. */
export async function startRun(session: Starter, specs: readonly Spec[], { skipBaseGates = false } = {}): Promise<string> {
  await assertNew(session, specs);
  await assertNoOldRun(session, specs);
  await assertNoBranch(session, specs);
  const ingested = specs.map(async ({ id, path, bytes }) => ({
    feature_id: id,
    spec_source: path,
    spec_digest: await session.records.objects.put(bytes),
  }));
  return recordRun(session, await Promise.all(ingested), skipBaseGates);
}

/** The same for features that have ended and go on. */
export function startRetry(
  session: Starter,
  chosen: readonly { readonly feature: Feature; readonly retry: Retry }[],
  { skipBaseGates = false } = {},
): Promise<string> {
  return recordRun(
    session,
    chosen.map(({ feature: { id, spec_source, spec_digest }, retry }) => ({ feature_id: id, spec_source, spec_digest, retry })),
    skipBaseGates,
  );
}

async function recordRun(session: Starter, specs: readonly FeatureInput[], skipBaseGates = false): Promise<string> {
  await session.sandbox();
  const [first] = specs;
  const input: FeaturesInput = {
    agents: await session.agents("features"),
    ...(skipBaseGates ? { skip_base_gates: true } : {}),
    max_active_features: session.kernel.configuration.policy.supervisor.max_active_features,
    specs,
  };
  const slug = first !== undefined && specs.length === 1 ? first.feature_id : `${specs.length}-features`;
  return session.start(features.name, slug, input);
}

/** A deleted feature's old run would go on with the new one of the same name. */
async function assertNoOldRun({ engine }: Starter, specs: readonly Spec[]): Promise<void> {
  const unfinished = await engine.runs({ status: ["pending", "running", "waiting", "stopped"] });
  for (const { id } of specs) {
    const old = unfinished.find(({ runId }) => runId.endsWith(`/feature:${id}`));
    if (old === undefined) continue;
    const [root = old.runId] = old.runId.split("/");
    throw new SlipwayError("run_exists", `The run ${root} has not ended its own feature "${id}" yet.`, {
      feature_id: id,
      run_id: root,
      suggested_next_actions: [`Let it notice the deletion: \`slipway resume ${root}\`, or end it: \`slipway stop ${root} --cancel\`.`],
    });
  }
}

/** A feature gets a branch of its own. One that is checked out, or holds something else than the base, is somebody's. */
async function assertNoBranch({ repository, kernel }: Starter, specs: readonly Spec[]): Promise<void> {
  const base = kernel.configuration.policy.worktree.base_branch;
  for (const { id, path } of specs) {
    if (!(await isBranchTaken(repository, id, base))) continue;
    throw new SlipwayError("invalid_feature_slug", `${path} would become the feature "${id}", but there is a branch of that name.`, {
      file: path,
      feature_id: id,
      suggested_next_actions: ["Give the specification another file name, or delete the branch if it is not needed."],
    });
  }
}

async function assertNew({ records, engine }: Starter, specs: readonly Spec[]): Promise<void> {
  const ids = specs.map(({ id }) => id);
  const known = await featuresNamed(records.database.db, ids);
  const [first] = known;
  if (first === undefined) return;
  const [root = first.run_id] = first.run_id.split("/");
  const live = ["pending", "running", "waiting", "stopped"].includes((await engine.run(root))?.status ?? "");
  throw new SlipwayError("run_exists", `There is already a feature "${first.id}" (${first.status}, run ${root}).`, {
    feature_id: first.id,
    run_id: root,
    suggested_next_actions: live
      ? [`Continue it: \`slipway resume ${root}\`.`]
      : [
          ...(first.status === "merged" ? [] : [`Go on with it: \`slipway retry ${first.id}\`.`]),
          `Give the specification another file name, or make room: \`slipway delete ${first.id}\`.`,
        ],
  });
}
