import type { Json } from "@slipway/durable/canonical";
import type { Check } from "./checks.ts";

/** Kind of the row that sums up one run of a whole gate mode. */
export const MODE = "mode";

type Seen = Pick<Check, "name" | "kind" | "tree" | "status" | "at" | "counts">;

export interface WantedRun {
  readonly mode: string;
  readonly tree: string;
  /** The gate profile it has to have run under; whichever it was where this is left out. */
  readonly profile?: string | undefined;
  /** The hash of policy and gates it has to have run under. */
  readonly policy?: string | undefined;
}

/** Whether the newest run of the mode on exactly this tree passed. Where two are equally new, both have to. */
export function passedOn(checks: readonly Seen[], { mode, tree, profile, policy }: WantedRun): boolean {
  const runs = checks
    .filter((check) => check.kind === MODE && check.name === mode && check.tree === tree)
    .filter((check) => ranUnder(check, "profile", profile) && ranUnder(check, "policy", policy));
  const newest = Math.max(...runs.map(({ at }) => at));
  return runs.length > 0 && runs.filter(({ at }) => at === newest).every(({ status }) => status === "pass");
}

/** A run that does not say was made before this was recorded: under the profile of the plan, and the policy of its day. */
function ranUnder({ counts }: Pick<Seen, "counts">, what: "profile" | "policy", wanted: string | undefined): boolean {
  if (wanted === undefined || typeof counts !== "object" || counts === null) return true;
  return ((counts as { readonly [key: string]: Json })[what] ?? wanted) === wanted;
}

/** Whether a gate on this tree ran under another policy, or other gates, than those of now. */
export function isOutdated(checks: readonly Seen[], policy: string): boolean {
  return checks.some((check) => check.kind === MODE && !ranUnder(check, "policy", policy));
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
