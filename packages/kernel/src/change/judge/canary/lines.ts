import type { Check } from "../evidence/checks.ts";
import { canaryRecord, nothingText, notProvenText } from "./record.ts";

export interface CanaryLines {
  readonly flags: readonly string[];
  readonly notes: readonly string[];
}

/** What the approver must know about the gates of a tree: that nothing shows whether they would notice a failure. */
export function canaryLines(gated: readonly Check[]): CanaryLines {
  const newest = new Map(
    gated.flatMap((check) => {
      const record = canaryRecord(check);
      return record === null ? [] : [[check.name, record] as const];
    }),
  );
  const flags = [...newest].flatMap(([mode, { outcome, planted, waived_by, comment }]) => {
    if (outcome !== "waived") return [];
    return [
      `${notProvenText(mode, planted)} ${waived_by ?? "A person"} decided to merge all the same${comment === null ? "" : `: ${comment}`}`,
    ];
  });
  const notes = [...newest.values()].filter(({ outcome }) => outcome === "nothing").map(({ unknown }) => nothingText(unknown));
  return { flags, notes: [...new Set(notes)] };
}
