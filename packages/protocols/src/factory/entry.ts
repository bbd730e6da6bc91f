import type { ProtocolEntry } from "../protocol.ts";
import { factoryAnswerCommand } from "./commands/answer-command.ts";
import { FACTORY_SUBCOMMANDS } from "./commands/specs.ts";

export const factory: ProtocolEntry = {
  name: "factory",
  summary: "a page of intent becomes tested, sealed modules and a release",
  takes: "a page",
  delivers: "one change",
  example: "slipway factory SPEC.md",
  started: ["factory", "factory-release", "factory-late-change"],
  subcommands: FACTORY_SUBCOMMANDS,
  answerCommand: factoryAnswerCommand,
  tables: async () => (await import("./tables.ts")).FACTORY_TABLES,
  demos: [
    {
      name: "factory",
      summary: "a page of intent becomes a release of seven modules",
      options: { edit: { type: "boolean", describe: "then edit one sentence of the page, and build what that changes" } },
      load: async () => (await import("./demo/demo.ts")).factoryDemo,
    },
  ],
  load: async () => (await import("./implementation.ts")).factory,
};
