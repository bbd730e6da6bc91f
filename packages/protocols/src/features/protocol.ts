import { workflow, type Ctx } from "@slipway/durable/ctx";
import { SlipwayError } from "@slipway/agents/errors";
import { toFailure } from "@slipway/durable/errors";
import { tryGatesOnBase } from "../change/base-gates.ts";
import { changeOf, type FeatureOfRun, type FeatureResult, type FeatureWorkflow } from "../change/feature-run.ts";
import { GivenUp } from "../dispatch/given-up.ts";
import { mustPerform } from "../change/perform.ts";
import { buildOnce } from "./build.ts";
import { endFeature } from "../change/end-feature.ts";
import { land } from "../change/land.ts";
import { retryPhase } from "../change/phase.ts";
import { planOnce } from "./plan.ts";
import { beginRetry, gateOrBuild, type Retry } from "./retry.ts";
import type { RunAgents } from "../dispatch/run-agents.ts";
import type { FeatureInput } from "./schemas.ts";
import type { ChangeServices } from "../change/services.ts";
import { CHANGE_STEPS } from "../change/steps.ts";
import type { ChangeRun } from "../change/change-run.ts";
import { moveTo } from "../change/unblock.ts";
import { testOnce } from "./qa.ts";

/** Pinned by every run that starts. Raise it whenever a step is renamed, added, removed or reordered. */
const PROTOCOL_VERSION = "4";

interface SpecifiedRun extends FeatureOfRun {
  readonly retry?: Retry;
}

/** What the workflows of a run of `features` work with. */
export interface FeaturesServices extends ChangeServices {
  /** The protocols that can make a change of the run, by name. */
  readonly inner: ReadonlyMap<string, FeatureWorkflow>;
}

/** One feature: plan, build, test, land. Each phase has a bounded number of attempts, then a person is asked. */
export const feature = workflow<SpecifiedRun, FeatureResult, ChangeServices>("feature", PROTOCOL_VERSION, async (ctx, input, services) => {
  const { feature_id: id, spec_source, spec_digest, retry } = input;
  const change = changeOf(ctx, services, input);
  const spec = { feature_id: id, spec_source, spec_digest, run_id: ctx.runId };
  try {
    if (retry !== undefined) return await fromPlanToMerge({ ...change, revises: await beginRetry(change, retry) }, retry);
    // If a folder, a branch or a worktree is in the way, it belongs to a person: ask.
    await mustPerform(change, CHANGE_STEPS.init.named(), (call) => services.kernel.features.init(call, spec), { asksAlways: true });
    return await fromPlanToMerge(change, { from: "plan", comment: null });
  } catch (error) {
    // The feature was deleted in the meantime; the other features continue.
    const deleted = error instanceof SlipwayError && error.code === "feature_not_found";
    if (deleted || error instanceof GivenUp) return { feature_id: id, status: "failed", landing: null };
    throw error;
  }
});

/** Runs the phases from `from` on; the results of earlier phases are kept. */
async function fromPlanToMerge(change: ChangeRun, { from, comment: guidance }: Retry): Promise<FeatureResult> {
  const { id, services } = change;
  const failed: FeatureResult = { feature_id: id, status: "failed", landing: null };
  if (from === "plan") {
    const plan = await retryPhase(change, "planning", guidance, (start) => planOnce(change, start));
    if (plan === null) return failed;
  }
  let comment = from === "build" ? guidance : null;
  for (let review = 1; review <= MAX_REVIEWS; review++) {
    if (review > 1 || from !== "land") {
      const once = review === 1 && from === "gates" ? gateOrBuild : buildOnce;
      const built = await retryPhase(change, "building", comment, (start) => once(change, start), review);
      if (built === null) return failed;
      const tested = await retryPhase(change, "qa", null, (start) => testOnce(change, start), review);
      if (tested === null) return failed;
    } else if (!(await moveTo(change, CHANGE_STEPS.ready.named("retry"), "ready_to_merge", "every required gate had passed on this tree")))
      return failed;
    const landed = await land(change, review);
    if (landed.status === "merged") return { feature_id: id, status: "merged", landing: landed.landing };
    if (landed.status === "rejected") return failed;
    comment = landed.comment;
  }
  await mustPerform(change, "too-many-reviews", (call) =>
    services.kernel.features.changeStatus(call, {
      feature_id: id,
      to: "failed",
      reason: `sent back ${MAX_REVIEWS} times: write a new specification`,
    }),
  );
  return failed;
}

/** How often a person may send the same feature back before it fails. */
const MAX_REVIEWS = 10;

export interface FeaturesInput {
  readonly specs: readonly FeatureInput[];
  readonly max_active_features: number;
  /** Do not run the gates on the base first. */
  readonly skip_base_gates?: boolean;
  /** The agents chosen when the run began. A resumed run keeps them unless an option overrides them. Contains no credentials. */
  readonly agents?: RunAgents;
}

/** Each feature is a child run that succeeds, waits or fails on its own. At most `max_active_features` run at once, in spec order. */
export const features = workflow<FeaturesInput, FeatureResult[], FeaturesServices>(
  "features",
  PROTOCOL_VERSION,
  async (ctx, { specs, max_active_features, skip_base_gates }, services) => {
    const order = specs.map(({ feature_id }) => feature_id);
    const not_begun = await tryGatesOnBase(ctx, services.kernel, skip_base_gates);
    if (not_begun !== null) return order.map((feature_id) => ({ feature_id, status: "failed", landing: null, not_begun }));
    return ctx.all(
      specs.map((spec) => () => settleFeature(ctx, services, { ...spec, run_id: ctx.runId, order })),
      { limit: max_active_features },
    );
  },
);

/** Turns an unexpected error of one feature into its result, so that its siblings continue. */
async function settleFeature(ctx: Ctx, { kernel, inner }: FeaturesServices, input: SpecifiedRun): Promise<FeatureResult> {
  const { feature_id } = input;
  try {
    return await ctx.child(`feature:${feature_id}`, workflowFor(inner, input), input);
  } catch (error) {
    const { code, message } = toFailure(error);
    const step = `broke-off:${feature_id}`;
    const call = { actor: { type: "orchestrator", id: `orchestrator@${ctx.runId}` } as const, operationId: `${ctx.runId}/${step}` };
    await ctx.step(step, () => endFeature(kernel, call, feature_id, `broke off: ${code}: ${message}`));
    return { feature_id, status: "failed", landing: null, failure: { code, message } };
  }
}

function workflowFor(known: FeaturesServices["inner"], { inner }: SpecifiedRun): FeatureWorkflow {
  if (inner === undefined) return feature;
  const found = known.get(inner.protocol);
  if (found !== undefined) return found;
  throw new SlipwayError("workflow_unknown", `This program has no protocol ${inner.protocol} that can make one change of a run.`, {
    workflow: inner.protocol,
    suggested_next_actions: ["Update Slipway if a newer version started the run."],
  });
}
