import { SlipwayError } from "@slipway/durable/errors";
import { featuresNamed, type Feature } from "@slipway/kernel/change/feature/store";
import type { Spec } from "@slipway/kernel/change/plan/specs/read";
import type { FeaturesInput } from "@slipway/protocols/features/protocol";
import type { Retry } from "@slipway/protocols/features/retrying";
import type { FeatureInput } from "@slipway/protocols/features/schemas";
import type { Session } from "./session.ts";

/** Records the run. The specifications are kept by digest: from here on nobody reads the user's files again. */
export async function startRun(session: Session, specs: readonly Spec[], { skipBaseGates = false } = {}): Promise<string> {
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
  session: Session,
  chosen: readonly { readonly feature: Feature; readonly retry: Retry }[],
  { skipBaseGates = false } = {},
): Promise<string> {
  return recordRun(
    session,
    chosen.map(({ feature: { id, spec_source, spec_digest }, retry }) => ({ feature_id: id, spec_source, spec_digest, retry })),
    skipBaseGates,
  );
}

async function recordRun(session: Session, specs: readonly FeatureInput[], skipBaseGates = false): Promise<string> {
  // Found out now rather than after the planner and the builder have been paid.
  await session.sandbox();
  const [first] = specs;
  const runId = await freeRunId(session, first !== undefined && specs.length === 1 ? first.feature_id : `${specs.length}-features`);
  const input: FeaturesInput = {
    agents: await session.agents("features"),
    ...(skipBaseGates ? { skip_base_gates: true } : {}),
    max_active_features: session.kernel.configuration.policy.supervisor.max_active_features,
    specs,
  };
  await session.engine.start("features", input, { runId });
  await session.recordOverride(runId);
  return runId;
}

/** A deleted feature's old run would go on with the new one of the same name. */
async function assertNoOldRun({ engine }: Session, specs: readonly Spec[]): Promise<void> {
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
async function assertNoBranch({ repository: { git }, kernel }: Session, specs: readonly Spec[]): Promise<void> {
  const commitOf = async (ref: string) =>
    Buffer.from((await git.run(["rev-parse", "--verify", "--quiet", "--end-of-options", ref], { allowExit: [1] })).stdout)
      .toString()
      .trim();
  const base = kernel.configuration.policy.worktree.base_branch;
  const head = Buffer.from((await git.run(["symbolic-ref", "--quiet", "HEAD"], { allowExit: [1] })).stdout)
    .toString()
    .trim();
  for (const { id, path } of specs) {
    const found = await commitOf(`refs/heads/${id}`);
    const taken = id === base || `refs/heads/${id}` === head || (found !== "" && found !== (await commitOf(`refs/heads/${base}`)));
    if (!taken) continue;
    throw new SlipwayError("invalid_feature_slug", `${path} would become the feature "${id}", but there is a branch of that name.`, {
      file: path,
      feature_id: id,
      suggested_next_actions: ["Give the specification another file name, or delete the branch if it is not needed."],
    });
  }
}

async function assertNew({ records, engine }: Session, specs: readonly Spec[]): Promise<void> {
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

/** `YYYY-MM-DD_slug`, with a number when the day already has one. */
export async function freeRunId({ engine, records }: Session, slug: string): Promise<string> {
  const day = new Date(records.clock.now()).toISOString().slice(0, 10);
  for (let number = 1; ; number++) {
    const runId = `${day}_${slug}${number === 1 ? "" : `-${number}`}`;
    if ((await engine.run(runId)) === undefined) return runId;
  }
}
