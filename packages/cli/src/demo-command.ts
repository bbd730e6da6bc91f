import { DEMOS, demoNamed } from "@slipway/protocols/demo/demos";
import type { CommandSpec, OptionSpec } from "@slipway/protocols/surface/command";

/** The options of each demo, with its name before their description. */
const ownOptions: Record<string, OptionSpec> = Object.fromEntries(
  DEMOS.flatMap(({ entry: { name, options = {} } }) =>
    Object.entries(options).map(([option, spec]) => [option, { ...spec, describe: `${name}: ${spec.describe}` }]),
  ),
);

export const DEMO_COMMAND: CommandSpec = {
  name: "demo",
  summary: "watch recorded agents at work in a scratch repository; offline",
  example: "slipway demo",
  positionals: [
    {
      name: "which",
      describe: `the demo (default: ${demoNamed().entry.name})`,
      required: false,
      values: DEMOS.map(({ entry: { name, summary } }) => ({ name, summary })),
    },
  ],
  options: {
    keep: { type: "string", hint: "FOLDER", describe: "put the scratch repository here (default: a new temporary folder)" },
    record: {
      type: "string",
      hint: "FOLDER",
      describe: "write the agents' answers to this cassette, with the digests of the current prompts",
    },
    ...ownOptions,
  },
  load: () => import("./commands/demo.ts"),
};
