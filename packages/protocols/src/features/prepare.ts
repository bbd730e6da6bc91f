import { SlipwayError } from "@slipway/agents/errors";
import { featuresNamed, type Feature } from "@slipway/kernel/change/feature/store";
import type { Spec } from "@slipway/kernel/change/plan/specs/read";
import type { InnerProtocol } from "../change/feature-run.ts";
import { innerNamed } from "./inner-protocols.ts";
import { features, type FeaturesInput } from "./protocol.ts";
import type { Retry } from "./retry.ts";
import type { FeatureInput } from "./schemas.ts";
import { protocolIn } from "./spec-protocol.ts";
import { isBranchTaken } from "@slipway/kernel/host/git/taken-branch";
import type { Starter } from "../surface/surface.ts";
import { recordRun } from "../surface/start-protocol.ts";
import type { Prepared, RunRequest } from "../protocol.ts";

/** The input of a run over specifications. Their text is stored by digest; the run never reads the user's files again. */
export async function prepareFeatures(known: ReadonlyMap<string, InnerProtocol>, starter: Starter, request: RunRequest): Promise<Prepared> {
  const { specs } = request;
  await assertNew(starter, specs);
  await assertNoOldRun(starter, specs);
  await assertNoBranch(starter, specs);
  const chosen = specs.map((spec) => ({ spec, protocol: protocolIn(spec) ?? request.inner ?? features.name }));
  for (const { spec, protocol } of chosen) if (protocol !== features.name) innerNamed(known, protocol, spec.path);
  const ingested = await Promise.all(chosen.map(({ spec, protocol }) => ingest(known, starter, request, spec, protocol)));
  return { ...inputFor(starter, ingested), protocols: [...new Set(chosen.map(({ protocol }) => protocol))] };
}

async function ingest(
  known: ReadonlyMap<string, InnerProtocol>,
  starter: Starter,
  request: RunRequest,
  spec: Spec,
  protocol: string,
): Promise<FeatureInput> {
  const specified = { feature_id: spec.id, spec_source: spec.path, spec_digest: await starter.records.objects.put(spec.bytes) };
  if (protocol === features.name) return specified;
  const input = await innerNamed(known, protocol, spec.path).prepare(starter, spec, request);
  return { ...specified, inner: { protocol, input } };
}

/** Records a run that retries features that have ended. */
export function startRetry(
  starter: Starter,
  chosen: readonly { readonly feature: Feature; readonly retry: Retry }[],
  { skipBaseGates = false } = {},
): Promise<string> {
  const specs = chosen.map(({ feature: { id, spec_source, spec_digest }, retry }) => ({ feature_id: id, spec_source, spec_digest, retry }));
  return recordRun(starter, features.name, features.name, inputFor(starter, specs), skipBaseGates);
}

function inputFor({ kernel }: Starter, specs: readonly FeatureInput[]) {
  const input: FeaturesInput = { max_active_features: kernel.configuration.policy.supervisor.max_active_features, specs };
  const [first] = specs;
  return { input, slug: first !== undefined && specs.length === 1 ? first.feature_id : `${specs.length}-features` };
}

/** The unfinished run of a deleted feature would continue with the new feature of the same name. */
async function assertNoOldRun({ engine }: Starter, specs: readonly Spec[]): Promise<void> {
  const unfinished = await engine.runs({ status: ["pending", "running", "waiting", "stopped"] });
  for (const { id } of specs) {
    const old = unfinished.find(({ runId }) => runId.endsWith(`/feature:${id}`));
    if (old === undefined) continue;
    const [root = old.runId] = old.runId.split("/");
    throw new SlipwayError("run_exists", `The unfinished run ${root} still has a feature "${id}".`, {
      feature_id: id,
      run_id: root,
      suggested_next_actions: [`Let it notice the deletion: \`slipway resume ${root}\`, or end it: \`slipway stop ${root} --cancel\`.`],
    });
  }
}

/** A feature gets its own branch. Refuses a name whose branch is checked out or not at the base. */
async function assertNoBranch({ kernel }: Starter, specs: readonly Spec[]): Promise<void> {
  const base = kernel.configuration.policy.worktree.base_branch;
  for (const { id, path } of specs) {
    if (!(await isBranchTaken(kernel.repository, id, base))) continue;
    throw new SlipwayError("invalid_feature_slug", `${path} would become the feature "${id}", but a branch of that name exists.`, {
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
          ...(first.status === "merged" ? [] : [`Retry it: \`slipway retry ${first.id}\`.`]),
          `Give the specification another file name, or delete the feature: \`slipway delete ${first.id}\`.`,
        ],
  });
}
