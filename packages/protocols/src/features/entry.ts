import type { ProtocolEntry } from "../protocol.ts";

export const features: ProtocolEntry = {
  name: "features",
  summary: "several features in parallel, each planned, built, tested and merged as a separate change",
  takes: "specifications",
  delivers: "changes",
  example: "slipway features specs/search.spec.md",
  started: ["features"],
  narration: async () => (await import("./narrate.ts")).FEATURE_NARRATION,
  load: async () => (await import("./implementation.ts")).features,
};
