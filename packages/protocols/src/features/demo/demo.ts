import type { Demo, DemoFiles } from "../../demo/demo.ts";
import { closingLines } from "./closing.ts";
import { COMPOSITION, REAL, SHOP } from "./files.ts";
import { summariseFeatures, type FeaturesSummary } from "./summary.ts";

export const featuresDemo = demoOf(SHOP, "stock_rules");
export const realDemo = demoOf(REAL, "falsy_values");
export const compositionDemo = demoOf(COMPOSITION, "b_fractions");

/** `lookAt` is the feature that the closing lines suggest to look at. */
function demoOf(files: DemoFiles, lookAt: string): Demo<FeaturesSummary> {
  return {
    files,
    summarise: summariseFeatures,
    close: ([summary], finished) => ({
      done: summary.status === "completed" && summary.merged.length === finished.request.specs.length,
      lines: closingLines(summary, lookAt, finished),
      json: { ...summary, elapsed_ms: finished.elapsedMs },
    }),
  };
}
