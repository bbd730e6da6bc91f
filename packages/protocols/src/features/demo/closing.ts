import type { FinishedDemo } from "../../demo/demo.ts";
import { lastLines } from "../../demo/last-lines.ts";
import { paint } from "../../surface/paint.ts";
import { storyLine } from "./story-line.ts";
import type { FeaturesSummary } from "./summary.ts";

/** The result, the story of the run, and what to try next. */
export function closingLines(summary: FeaturesSummary, lookAt: string, finished: FinishedDemo): string[] {
  const { merged, checks, journal, story, cost_usd } = summary;
  const { bold } = paint(finished.color);
  const width = Math.max(...merged.map(({ feature_id }) => feature_id.length));
  const tryNext = {
    "git log --stat --first-parent": "what landed on main",
    "slipway status": "how every feature stands",
    [`slipway evidence ${lookAt}`]: "what the harness saw",
    "slipway journal verify": "that nothing was changed afterwards",
  };
  return [
    "",
    bold(merged.length === 1 ? "1 feature is merged" : `${merged.length} features are merged`),
    ...merged.map(
      ({ feature_id, commit, tree, approved_by }) =>
        `  ${feature_id.padEnd(width)}  commit ${commit.slice(0, 10)}, tree ${tree.slice(0, 10)}, approved by ${approved_by}`,
    ),
    ...(story.length === 0 ? [] : ["", bold("What happened on the way")]),
    ...story.map((fact) => `  ${storyLine(fact)}`),
    "",
    `checks   ${checks.passed} passed, ${checks.failed} failed`,
    `cost     $${cost_usd.toFixed(4)} (as recorded; nothing was spent now)`,
    ...lastLines({ journal, tryNext, begin: "slipway init" }, finished),
  ];
}
