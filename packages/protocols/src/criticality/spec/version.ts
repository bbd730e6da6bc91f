import { diffSpecs, isEmptyDiff } from "./spec-diff.ts";
import type { SystemSpec } from "./schema.ts";

const FIRST = "1.0.0";

/**
 * The version of a specification that replaces an earlier one: the first number rises if callers or tests of the earlier one may break,
 * the second if something was added, the third otherwise. Never the same version again.
 */
export function versionAfter(previous: SystemSpec | null, next: SystemSpec): string {
  if (previous === null) return FIRST;
  const [major = 0, minor = 0, patch = 0] = previous.meta.version.split(".").map(Number);
  const diff = diffSpecs(previous, next);
  const broken = [diff.types, diff.methods, diff.claims].some(({ removed, changed }) => removed.length + changed.length > 0);
  if (broken || diff.constraints.removed.length > 0) return `${major + 1}.0.0`;
  return isEmptyDiff(diff) ? `${major}.${minor}.${patch + 1}` : `${major}.${minor + 1}.0`;
}
