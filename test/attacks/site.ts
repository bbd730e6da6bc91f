import { connect, type Caller } from "./server.ts";
import { makeYard, type Yard, type YardOptions } from "./yard.ts";

interface State {
  readonly version: number;
  readonly status: string;
}

/** A yard with the servers of two roles, for several attacks. */
export interface Site {
  readonly yard: Yard;
  readonly orchestrator: Caller;
  readonly builder: Caller;
  /** A new feature; with a plan, one whose plan is accepted. */
  feature(plan?: Readonly<Record<string, unknown>>): Promise<string>;
  /** The state of a feature from the kernel. */
  state(feature: string): Promise<State>;
  close(): Promise<void>;
}

export async function openSite(options: YardOptions = {}): Promise<Site> {
  const yard = await makeYard(options);
  const [orchestrator, builder] = await Promise.all([connect(yard, "orchestrator"), connect(yard, "builder")]);
  let made = 0;
  const site: Site = {
    yard,
    orchestrator,
    builder,
    async feature(plan) {
      const feature_id = `feature-${++made}`;
      await begin(site, feature_id);
      if (plan !== undefined) await orchestrator.ok("plan.submit", { feature_id, plan_json: planFor(feature_id, plan) });
      return feature_id;
    },
    async state(feature_id) {
      return (await builder.ok<{ state: State }>("feature.state_get", { feature_id })).state;
    },
    async close() {
      await Promise.all([orchestrator.close(), builder.close()]);
      yard.remove();
    },
  };
  // Another feature, which no attack may reach.
  await begin(site, "bystander");
  return site;
}

async function begin({ yard, orchestrator }: Site, feature_id: string): Promise<void> {
  yard.write(`.slipway/features/${feature_id}/spec.md`, `# ${feature_id}\n\nThe first letter file says two.\n`);
  await orchestrator.ok("feature.init", { feature_id });
}

export function planFor(feature_id: string, changes: Readonly<Record<string, unknown>> = {}) {
  return {
    feature_id,
    plan_version: 1,
    summary: "change the letters",
    allowed_areas: ["src"],
    forbidden_areas: [],
    base_ref: "main",
    files: { create: [], modify: ["src/a.txt"], delete: [] },
    contracts: { openapi: "none", events: "none", db: "none" },
    acceptance_criteria: ["the letters are changed"],
    ...changes,
  };
}
