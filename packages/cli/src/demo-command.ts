import type { CommandSpec } from "@slipway/protocols/surface/command";

export const DEMO_COMMAND: CommandSpec = {
  name: "demo",
  summary: "watch five specifications become merged changes, or a page of intent a release; offline",
  example: "slipway demo",
  positionals: [
    {
      name: "which",
      describe: "`factory`: from a page to a release; `real`: on a published npm package, which is downloaded (default: a bundled project)",
      required: false,
    },
  ],
  options: {
    keep: { type: "string", hint: "FOLDER", describe: "put the scratch repository here (default: a new temporary folder)" },
    record: { type: "string", hint: "FOLDER", describe: "write the agents' answers to this cassette, with the prompts' digests of now" },
    edit: { type: "boolean", describe: "factory: then edit one sentence of the page, and build what that changes" },
  },
  load: () => import("./commands/demo.ts"),
};
