import type { Json } from "@slipway/durable/canonical";
import type { Check } from "./checks.ts";

/** Kind of the row that summarises one run of a whole gate mode. */
export const MODE = "mode";

/** Kind of the row of one command that a protocol had run. It is never the result of a gate. */
export const COMMAND = "command";

type Seen = Pick<Check, "name" | "kind" | "tree" | "status" | "at" | "counts">;

export interface WantedRun {
  readonly mode: string;
  readonly tree: string;
  /** The required gate profile; any if undefined. */
  readonly profile?: string | undefined;
  /** The required hash of policy and gates; any if undefined. */
  readonly policy?: string | undefined;
}

/** Whether the newest run of the mode on exactly this tree passed. If several are equally new, all must have passed. */
export function passedOn(checks: readonly Seen[], { mode, tree, profile, policy }: WantedRun): boolean {
  const runs = checks
    .filter((check) => check.kind === MODE && check.name === mode && check.tree === tree)
    .filter((check) => ranUnder(check, "profile", profile) && ranUnder(check, "policy", policy));
  const newest = Math.max(...runs.map(({ at }) => at));
  return runs.length > 0 && runs.filter(({ at }) => at === newest).every(({ status }) => status === "pass");
}

/** Old runs do not record profile and policy: they ran under the plan's profile and the policy of that time, and count. */
function ranUnder({ counts }: Pick<Seen, "counts">, what: "profile" | "policy", wanted: string | undefined): boolean {
  if (wanted === undefined || typeof counts !== "object" || counts === null) return true;
  return ((counts as { readonly [key: string]: Json })[what] ?? wanted) === wanted;
}

/** Whether a mode ran on this tree under another policy, or other gates, and not under the current ones. */
export function isOutdated(checks: readonly Seen[], policy: string): boolean {
  const runs = checks.filter(({ kind }) => kind === MODE);
  const current = new Set(runs.filter((run) => ranUnder(run, "policy", policy)).map(({ name }) => name));
  return runs.some(({ name }) => !current.has(name));
}

/** The required modes that have not passed on this tree, in the given order. */
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
