import { workflow } from "@slipway/durable/ctx";
import { certain } from "./attempt.ts";
import { buildOnce } from "./building.ts";
import { land, type Landing } from "./landing.ts";
import { untilPassed } from "./phase.ts";
import { planOnce } from "./planning.ts";
import { testOnce } from "./testing.ts";
import type { FeatureInput } from "./schemas.ts";
import type { Shop } from "./shop.ts";

/** Pinned by every run that starts. Raise it whenever a step is renamed, added, removed or reordered. */
export const PROTOCOL_VERSION = "1";

export interface FeatureResult {
  readonly feature_id: string;
  readonly status: "merged" | "failed";
  readonly landing: Landing | null;
}

/** One feature: plan, build, test, land. Each phase is bounded; when it cannot go on, a person is asked. */
export const feature = workflow<FeatureInput, FeatureResult, Shop>("feature", PROTOCOL_VERSION, async (ctx, spec, shop) => {
  const id = spec.feature_id;
  await certain(ctx, id, "init", (call) => shop.kernel.features.init(call, { ...spec, run_id: ctx.runId }));

  const plan = await untilPassed(ctx, shop, id, "planning", null, (attempt, last) => planOnce(ctx, shop, id, attempt, last));
  if (plan === null) return { feature_id: id, status: "failed", landing: null };

  let comment: string | null = null;
  for (let review = 1; review <= MAX_REVIEWS; review++) {
    const built = await untilPassed(ctx, shop, id, "building", comment, (attempt, last) => buildOnce(ctx, shop, id, attempt, last), review);
    if (built === null) break;
    const tested = await untilPassed(ctx, shop, id, "qa", null, (attempt, last) => testOnce(ctx, shop, id, attempt, last), review);
    if (tested === null) break;
    const landing = await land(ctx, shop, id, plan, review);
    if (landing.status === "merged") return { feature_id: id, status: "merged", landing: landing.landing };
    if (landing.status === "rejected") break;
    comment = landing.comment;
  }
  return { feature_id: id, status: "failed", landing: null };
});

/** How often a person may send the same feature back before it has to be specified anew. */
const MAX_REVIEWS = 10;

export interface FeaturesInput {
  readonly specs: readonly FeatureInput[];
  readonly max_active_features: number;
}

/** Every feature is a child run of its own: it succeeds, waits or fails without its siblings. */
export const features = workflow<FeaturesInput, FeatureResult[], Shop>(
  "features",
  PROTOCOL_VERSION,
  (ctx, { specs, max_active_features }) =>
    ctx.all(
      specs.map((spec) => () => ctx.child(`feature:${spec.feature_id}`, feature, spec)),
      { limit: max_active_features },
    ),
);
