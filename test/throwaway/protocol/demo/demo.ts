import { journalSize } from "@slipway/kernel/record/journal/heads";
import type { Demo } from "@slipway/protocols/demo/demo";
import { demoFolder } from "@slipway/protocols/demo/files";
import { lastLines } from "@slipway/protocols/demo/last-lines";
import type { ThrowawayResult } from "../protocol.ts";

interface Told {
  readonly result: ThrowawayResult | null;
  readonly journal: { readonly events: number; readonly head: string };
}

export const throwawayDemo: Demo<Told> = {
  files: {
    folder: demoFolder("throwaway"),
    published: null,
    commitMessage: "Notes",
    gates: "a search for a word",
    request: { text: "a note about tides" },
  },
  async summarise({ records }, { outcome }) {
    const result = outcome.status === "completed" ? (outcome.value as ThrowawayResult) : null;
    return { result, journal: await journalSize(records) };
  },
  close: ([{ result, journal }], finished) => ({
    done: result?.status === "merged",
    lines: [
      "",
      `The note is ${result?.status ?? "not there"}.`,
      ...lastLines({ journal, tryNext: {}, begin: "slipway throwaway" }, finished),
    ],
    json: { ...result, journal },
  }),
};
