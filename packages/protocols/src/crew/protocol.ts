import { workflow } from "@slipway/durable/ctx";
import { SlipwayError } from "@slipway/agents/errors";
import { tryGatesOnBase } from "../change/base-gates.ts";
import { beginChange } from "../change/agent-change.ts";
import type { FeatureOfRun, FeatureResult } from "../change/feature-run.ts";
import type { ChangeServices } from "../change/services.ts";
import { GivenUp } from "../dispatch/given-up.ts";
import type { RunAgents } from "../dispatch/run-agents.ts";
import { openCrewRun, type CrewInput } from "./crew-run.ts";
import { openCrewSession } from "./flow/crew-session.ts";
import { runSession } from "./flow/run-session.ts";

/** Pinned by every run that starts. Raise it whenever a step is renamed, added, removed or reordered. */
const CREW_VERSION = "1";

const DEFAULT_INPUT: CrewInput = { mode: "full", project_type: "mixed" };

/** One session: from the request to the merge, or to BLOCKED where a person ends it. */
export const crewChange = workflow<FeatureOfRun, FeatureResult, ChangeServices>(
  "crew-change",
  CREW_VERSION,
  async (ctx, feature, services) => {
    const input = (feature.inner?.input ?? DEFAULT_INPUT) as CrewInput;
    const run = openCrewRun(ctx, services, { feature, project_type: input.project_type });
    try {
      await beginChange(run.change, feature);
      const { objects } = services.kernel.records;
      const request = await ctx.step("request", async () => Buffer.from(await objects.get(feature.spec_digest)).toString("utf8"));
      return await runSession(openCrewSession(run, input, request));
    } catch (error) {
      const isDeleted = error instanceof SlipwayError && error.code === "feature_not_found";
      if (!isDeleted && !(error instanceof GivenUp)) throw error;
      return { feature_id: feature.feature_id, status: "failed", landing: null, words: [error.message] };
    }
  },
);

export interface CrewRunInput extends CrewInput {
  readonly feature_id: string;
  readonly spec_digest: string;
  readonly skip_base_gates?: boolean;
  readonly agents?: RunAgents;
}

/** `slipway crew "request"`: one change, which is all that the run does. */
export const crew = workflow<CrewRunInput, FeatureResult, ChangeServices>("crew", CREW_VERSION, async (ctx, input, { kernel }) => {
  const { feature_id, spec_digest, mode, project_type, skip_base_gates } = input;
  const not_begun = await tryGatesOnBase(ctx, kernel, skip_base_gates);
  if (not_begun !== null) return { feature_id, status: "failed", landing: null, not_begun };
  return ctx.child(`feature:${feature_id}`, crewChange, {
    feature_id,
    spec_source: "request",
    spec_digest,
    run_id: ctx.runId,
    order: [feature_id],
    alone: true,
    inner: { protocol: "crew", input: { mode, project_type } satisfies CrewInput },
  });
});
