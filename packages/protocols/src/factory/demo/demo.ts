import type { Demo } from "../../demo/demo.ts";
import { closingLines, runCommands } from "./closing.ts";
import { pageEdit } from "./edit.ts";
import { excerptOf } from "./excerpt.ts";
import { HOURS } from "./files.ts";
import { summariseFactory, type BuildSummary, type FactorySummary } from "./summary.ts";

/** From a page to a release. The roles' answers are written by a program. */
export const factoryDemo: Demo<BuildSummary> = {
  files: HOURS,
  writtenBy: "npm run record:demo-factory",
  edit: pageEdit,
  readyToMerge: "The release is ready to merge",
  excerpt: excerptOf,
  stuck: ({ status }, asked) =>
    status === "waiting" ? `The demo has no answer to this: ${asked.map(({ title }) => title).join("; ") || "nothing is asked"}` : null,
  summarise: summariseFactory,
  close([first, again], finished) {
    const commands = runCommands(finished.repository, again ?? first, finished);
    const summary: FactorySummary = {
      ...first,
      ...(again === undefined ? {} : { again }),
      commands,
      elapsed_ms: finished.elapsedMs,
    };
    return {
      done: [first, again ?? first].every(({ release }) => release?.status === "released"),
      lines: closingLines(summary, finished),
      json: summary,
    };
  },
};
