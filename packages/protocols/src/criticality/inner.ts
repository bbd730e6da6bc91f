import { workflow } from "@slipway/durable/ctx";
import type { Spec } from "@slipway/kernel/change/plan/specs/read";
import { changeFolder, changeOf, featureRunId, type FeatureOfRun, type FeatureResult, type InnerProtocol } from "../change/feature-run.ts";
import type { ChangeServices } from "../change/services.ts";
import type { RunRequest } from "../protocol.ts";
import type { Starter } from "../surface/surface.ts";
import { deliverFiles } from "./deliver-program.ts";
import { describeCriticality } from "./describe.ts";
import type { CriticalityInput } from "./input.ts";
import { openCriticalityServices } from "./open-services.ts";
import { programInput } from "./prepare.ts";
import { makeProgram } from "./protocol.ts";
import { CRITICALITY_NARRATION } from "./steps.ts";
import { viewProgram } from "./view.ts";

/** One specification of a run of `features`, made as a program: the interview's idea, or a specification in a block of TOML. */
const criticalityChange = workflow<FeatureOfRun, FeatureResult, ChangeServices>(
  "criticality-change",
  "1",
  async (ctx, feature, services) => {
    const input = { ...(feature.inner?.input as CriticalityInput), project: feature.feature_id };
    const change = changeOf(ctx, services, feature);
    const result = await makeProgram(ctx, input, openCriticalityServices(services), {
      folder: changeFolder(feature),
      deliver: (program) => deliverFiles(change, program),
    });
    const { lines } = describeCriticality(result);
    return result.status === "merged"
      ? { feature_id: feature.feature_id, status: "merged", landing: result.landing, words: lines }
      : { feature_id: feature.feature_id, status: "failed", landing: null, words: lines };
  },
);

const TOML_BLOCK = /^```toml[ \t]*\r?\n([^]*?)^```[ \t]*\r?$/m;

/** A specification with a block of TOML needs no interview. */
async function prepare(starter: Starter, { path, bytes }: Spec, { env }: RunRequest): Promise<CriticalityInput> {
  const text = Buffer.from(bytes).toString("utf8");
  const block = TOML_BLOCK.exec(text)?.[1];
  const spec = block === undefined ? null : { file: `${path} (block of TOML)`, bytes: Buffer.from(block) };
  const { input } = await programInput(starter, { idea: spec === null ? text : null, spec, env });
  return input;
}

export const criticalityInner: InnerProtocol = {
  workflow: criticalityChange,
  parts: [],
  narration: CRITICALITY_NARRATION,
  prepare,
  view: (reader, { runId, id }) => viewProgram(reader, featureRunId(runId, id), `feature:${id}`),
};
