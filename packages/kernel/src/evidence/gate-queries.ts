import type { Check } from "./checks.ts";

/** Kind of the row that sums up one run of a whole gate mode. */
export const MODE = "mode";

type Seen = Pick<Check, "name" | "kind" | "tree" | "status" | "at">;

/** Whether the newest run of the mode on exactly this tree passed. Where two are equally new, both have to. */
export function passedOn(checks: readonly Seen[], { mode, tree }: { readonly mode: string; readonly tree: string }): boolean {
  const runs = checks.filter((check) => check.kind === MODE && check.name === mode && check.tree === tree);
  const newest = Math.max(...runs.map(({ at }) => at));
  return runs.length > 0 && runs.filter(({ at }) => at === newest).every(({ status }) => status === "pass");
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
