import type { ProtocolEntry } from "../protocol.ts";

export const features: ProtocolEntry = {
  name: "features",
  summary: "several features in parallel, each planned, built, tested and merged as a separate change",
  takes: "specifications",
  delivers: "changes",
  example: "slipway features specs/search.spec.md",
  started: ["features"],
  narration: async () => (await import("./narrate.ts")).FEATURE_NARRATION,
  demos: [
    {
      name: "features",
      summary: "five specifications become five merged changes to a bundled project",
      load: async () => (await import("./demo/demo.ts")).featuresDemo,
    },
    {
      name: "composition",
      summary: "specifications of one run, each made by the protocol that it names",
      load: async () => (await import("./demo/demo.ts")).compositionDemo,
    },
    {
      name: "real",
      summary: "one specification, on a published npm package, which is downloaded",
      load: async () => (await import("./demo/demo.ts")).realDemo,
    },
  ],
  load: async () => (await import("./implementation.ts")).loadFeatures(),
};
