import type { Protocol } from "../protocol.ts";
import { prepareFeatures } from "./prepare.ts";
import { describeFeatures } from "./describe.ts";
import { FEATURE_NARRATION, narrateFeatures } from "./narrate.ts";
import { feature, features as root, type FeatureResult } from "./protocol.ts";
import { openChangeServices } from "../change/services.ts";
import { viewChanges } from "../change/view.ts";

export const features: Protocol = {
  started: [root],
  parts: [feature],
  open: ({ kernel, dispatcher }) => ({ workflows: openChangeServices(kernel, dispatcher) }),
  prepare: prepareFeatures,
  narrate: narrateFeatures,
  view: (reader, runId) => viewChanges(reader, runId, FEATURE_NARRATION),
  describe: (result) => describeFeatures(result as readonly FeatureResult[]),
};
