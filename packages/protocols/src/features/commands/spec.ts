import type { CommandSpec } from "../../surface/command.ts";
import { runOptions } from "../../surface/run-options.ts";

/** `slipway features`: the same as `slipway run` without --protocol. */
export const FEATURES_COMMAND: CommandSpec = {
  name: "features",
  summary: "turn specifications into changes that are ready to merge, several at once",
  example: "slipway features specs/search.spec.md",
  positionals: [{ name: "spec", describe: "specification file (Markdown)", required: false, many: true }],
  options: {
    fi: { type: "string", hint: "FILE", describe: "one specification (written -fi FILE)" },
    fl: { type: "string", hint: "FOLDER", describe: "every *.md below a folder (written -fl FOLDER)" },
    ...runOptions,
  },
  load: () => import("./start.ts"),
};
