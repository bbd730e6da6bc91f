import type { ProtocolEntry } from "../protocol.ts";

export const crew: ProtocolEntry = {
  name: "crew",
  summary: "eleven agents under one JSON contract: specification, design, approval, tasks, reviews, tests, security, release",
  takes: "a request",
  delivers: "one change",
  example: 'slipway crew "formatDate takes a locale"',
  started: ["crew"],
  options: { type: { type: "string", hint: "TYPE", describe: "web, api, cli, lib or mixed; by default what the repository's files say" } },
  flags: {
    lean: {
      type: "boolean",
      describe:
        "one small task without design: you declare it clear, at most 3 files and 5 minutes, without an architecture, interface or security decision",
    },
  },
  narration: async () => (await import("./narrate.ts")).CREW_NARRATION,
  exports: async (target, roles) => (await import("./export/export-crew.ts")).crewExport(target, roles),
  inner: async () => (await import("./inner.ts")).crewInner,
  demos: [
    {
      name: "crew",
      summary: "a lean session proves larger and goes on in full mode, through approvals and reviews to the merge",
      load: async () => (await import("./demo/demo.ts")).crewDemo,
    },
  ],
  load: async () => (await import("./implementation.ts")).crew,
};
