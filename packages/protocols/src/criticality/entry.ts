import type { ProtocolEntry } from "../protocol.ts";
import { criticalityAnswerCommand } from "./commands/answer-command.ts";
import { CRITICALITY_SUBCOMMANDS } from "./commands/specs.ts";
import { CRITICALITY_SERVERS } from "./servers/entry.ts";

export const criticality: ProtocolEntry = {
  name: "criticality",
  summary: "an interview becomes a compiled, property-tested program, each function written from a clean slate",
  takes: "an interview",
  delivers: "one change",
  example: 'slipway criticality "accounts and transfers"',
  started: ["criticality", "criticality-benchmark"],
  options: { spec: { type: "string", hint: "FILE", describe: "a specification (spec.toml) instead of the interview" } },
  subcommands: CRITICALITY_SUBCOMMANDS,
  answerCommand: criticalityAnswerCommand,
  models: async (read) => (await import("./models/role-models.ts")).roleModels(read),
  powers: async (read) => (await import("./config/powers.ts")).powersOfConfig(read),
  tables: async () => (await import("./tables.ts")).CRITICALITY_TABLES,
  servers: CRITICALITY_SERVERS,
  narration: async () => (await import("./steps.ts")).CRITICALITY_NARRATION,
  demos: [
    {
      name: "criticality",
      summary: "an interview becomes accounts and transfers: 16 functions, tested against the claims of their specification",
      load: async () => (await import("./demo/demo.ts")).criticalityDemo,
    },
  ],
  inner: async () => (await import("./inner.ts")).criticalityInner,
  load: async () => (await import("./implementation.ts")).criticality,
};
