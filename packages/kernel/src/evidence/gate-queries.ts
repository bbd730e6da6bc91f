import type { Check } from "./checks.ts";

/** Kind of the row that sums up one run of a whole gate mode. */
export const MODE = "mode";

type Seen = Pick<Check, "name" | "kind" | "tree" | "status" | "at" | "counts">;

export interface WantedRun {
  readonly mode: string;
  readonly tree: string;
  /** The gate profile it has to have run under; whichever it was where this is left out. */
  readonly profile?: string | undefined;
}

/** Whether the newest run of the mode on exactly this tree passed. Where two are equally new, both have to. */
export function passedOn(checks: readonly Seen[], { mode, tree, profile }: WantedRun): boolean {
  const runs = checks.filter(
    (check) => check.kind === MODE && check.name === mode && check.tree === tree && (profile === undefined || ranUnder(check, profile)),
  );
  const newest = Math.max(...runs.map(({ at }) => at));
  return runs.length > 0 && runs.filter(({ at }) => at === newest).every(({ status }) => status === "pass");
}

/** A run that does not say was made before there was a choice: under the profile of the plan. */
function ranUnder({ counts }: Seen, profile: string): boolean {
  const recorded = typeof counts === "object" && counts !== null && "profile" in counts ? counts.profile : profile;
  return recorded === profile;
}

/** The modes among those required that this tree still lacks, in the order given. */
export function missingModes(
  checks: readonly Seen[],
  { modes, tree }: { readonly modes: readonly string[]; readonly tree: string },
): string[] {
  return modes.filter((mode) => !passedOn(checks, { mode, tree }));
}

export function countChecks(checks: readonly Pick<Check, "status">[]): { readonly passed: number; readonly failed: number } {
  const passed = checks.filter(({ status }) => status === "pass").length;
  return { passed, failed: checks.length - passed };
}
