import type { FeatureResult } from "../change/feature-run.ts";
import { oneLine } from "../narration/one-line.ts";
import type { Ending } from "../protocol.ts";

/** The result text of a completed run: the session's final text, line by line. */
export function describeCrew({ feature_id, landing, not_begun, words = [] }: FeatureResult): Ending {
  const more = words.filter((line) => line !== "").map((line) => `  ${oneLine(line)}`);
  if (not_begun !== undefined) return { done: false, lines: [`${feature_id} was not begun: ${oneLine(not_begun)}.`] };
  if (landing !== null)
    return { done: true, lines: [`${feature_id} is merged into ${landing.base_branch} as ${landing.commit.slice(0, 10)}.`, ...more] };
  return { done: false, lines: [`${feature_id} is not merged; its work is kept under refs/slipway.`, ...more] };
}
