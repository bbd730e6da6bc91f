import type { Candidate } from "@slipway/kernel/change/land/candidate";

/** What was found in the change, one line each, as whoever approves reads it everywhere. */
export function findingsText({ flags, notes }: Pick<Candidate, "flags" | "notes">): string {
  return [...flags.map((flag) => `Look closely: ${flag}\n`), ...notes.map((note) => `Good to know: ${note}\n`)].join("");
}
