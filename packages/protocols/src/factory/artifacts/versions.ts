import { SlipwayError } from "@slipway/agents/errors";

export const VERSION = /^\d+\.\d+\.\d+$/;

/** Numeric, part by part: 1.10.0 is higher than 1.9.0. */
export function compareVersions(left: string, right: string): number {
  const [a, b] = [numbersOf(left), numbersOf(right)];
  for (const index of [0, 1, 2] as const) if (a[index] !== b[index]) return a[index] < b[index] ? -1 : 1;
  return 0;
}

export function highestVersion(versions: readonly string[]): string | null {
  return versions.toSorted(compareVersions).at(-1) ?? null;
}

/** Versions of a lineage only increase. */
export function assertHigher(version: string, existing: readonly string[]): void {
  const highest = highestVersion(existing);
  if (highest === null || compareVersions(version, highest) > 0) return;
  throw new SlipwayError("version_conflict", `Version ${version} is not above ${highest}, the highest of this lineage.`, {
    version,
    highest,
    suggested_next_actions: [`Use a version above ${highest}.`],
  });
}

// BigInt: a version is text of any length, and a number would round it.
function numbersOf(version: string): readonly [bigint, bigint, bigint] {
  if (!VERSION.test(version)) {
    throw new SlipwayError("schema_validation_failed", `"${version.slice(0, 80)}" is not a version.`, {
      version: version.slice(0, 80),
      suggested_next_actions: ["Write three numbers with dots between them, such as 1.0.0."],
    });
  }
  const [major = "0", minor = "0", patch = "0"] = version.split(".");
  return [BigInt(major), BigInt(minor), BigInt(patch)];
}
