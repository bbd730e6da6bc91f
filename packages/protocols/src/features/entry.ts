import type { Protocol } from "../protocol.ts";
import { describeFeatures } from "./describe.ts";
import { narrateFeatures } from "./narrate.ts";
import { feature, features as root, type FeatureResult } from "./protocol.ts";
import { openShop } from "./shop.ts";
import { viewFeatures } from "./view.ts";

export const features: Protocol = {
  started: [root],
  parts: [feature],
  open: ({ kernel, desk }) => ({ workflows: openShop(kernel, desk) }),
  narrate: narrateFeatures,
  view: viewFeatures,
  describe: (result) => describeFeatures(result as readonly FeatureResult[]),
};
