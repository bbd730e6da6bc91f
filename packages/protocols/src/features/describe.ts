import { oneLine } from "../narration/one-line.ts";
import type { Ending } from "../protocol.ts";
import type { FeatureResult } from "../change/feature-run.ts";

/** The result of a completed run as text. */
export function describeFeatures(results: readonly FeatureResult[]): Ending {
  return {
    done: results.every(({ status }) => status === "merged"),
    lines: results.flatMap(({ feature_id, status, landing, failure, not_begun, words = [] }) => {
      const said = words.map((line) => `  ${oneLine(line)}`);
      if (not_begun !== undefined) return [`${feature_id} was not begun: ${oneLine(not_begun)}.`];
      if (landing !== null) return [`${feature_id} is merged into ${landing.base_branch} as ${landing.commit.slice(0, 10)}.`, ...said];
      const why = failure === undefined ? "" : ` (${failure.code}: ${oneLine(failure.message)})`;
      return [`${feature_id} ended ${status}${why}; its work is kept under refs/slipway.`, ...said, `  next: slipway retry ${feature_id}`];
    }),
  };
}
