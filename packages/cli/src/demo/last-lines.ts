import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { Io } from "@slipway/protocols/surface/io";
import { paint } from "@slipway/protocols/surface/paint";
import { storyLine } from "./story-line.ts";
import type { DemoSummary } from "./summary.ts";

/** The result, the story of the run, and what to try next. */
export function closingLines(summary: DemoSummary, folder: string, lookAt: string, io: Io): string[] {
  const { merged, checks, journal, story, cost_usd, elapsed_ms } = summary;
  const { bold, dim } = paint(io.color);
  const width = Math.max(...merged.map(({ feature_id }) => feature_id.length));
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
    `journal  ${journal.events} events, head ${journal.head.slice(0, 16)}`,
    `time     ${(elapsed_ms / 1000).toFixed(1)} s`,
    `files    ${folder}`,
    "",
    `Try next, in that folder${howToCall(io)}:`,
    "  git log --stat --first-parent   what landed on main",
    "  slipway status                  how every feature stands",
    `  ${`slipway evidence ${lookAt}`.padEnd(30)}  what the harness saw`,
    "  slipway journal verify          that nothing was changed afterwards",
    "and `slipway init` in a repository of your own.",
    dim("The demo's scratch folder is yours to delete."),
    "",
  ];
}

const OWN_PATH = join(import.meta.dirname, "..", "..", "bin", "slipway.mjs");

/** How to call Slipway, if `slipway` is not on the PATH. */
export function howToCall(io: Io): string {
  return onPath(io) ? "" : ` (\`slipway\` is ${OWN_PATH})`;
}

/** Ignores folders npm adds for its scripts. */
function onPath(io: Io): boolean {
  const folders = (io.env["PATH"] ?? "").split(delimiter);
  return folders.some((folder) => !folder.includes("node_modules") && existsSync(join(folder, "slipway")));
}
