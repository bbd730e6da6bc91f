import type { ProtocolEntry } from "../protocol.ts";

export const forge: ProtocolEntry = {
  name: "forge",
  summary: "nine roles, an SQL ledger of evidence, and three adversarial reviewers around one change",
  takes: "a request",
  delivers: "one change",
  example: 'slipway forge "formatDate takes a locale"',
  started: ["forge"],
  flags: { interactive: { type: "boolean", describe: "ask at the approval gates and about concerns, instead of taking the defaults" } },
  models: async (read) => (await import("./reviewer-models.ts")).reviewerModels(read),
  tables: async () => (await import("./ledger/tables.ts")).FORGE_TABLES,
  narration: async () => (await import("./narrate.ts")).FORGE_NARRATION,
  exports: async (target, roles) => (await import("./export/export-forge.ts")).forgeExport(target, roles),
  inner: async () => (await import("./inner.ts")).forgeInner,
  demos: [
    {
      name: "forge",
      summary: "one task of a request lands, another is reverted; a second request ends at a reviewer's blocker",
      load: async () => (await import("./demo/demo.ts")).forgeDemo,
    },
  ],
  load: async () => (await import("./implementation.ts")).forge,
};
