import type { Policy } from "../../config/policy.ts";
import { strictAreaMatcher } from "../../paths/areas.ts";
import { plannedFiles, type Plan } from "./schema.ts";
import { violation, type Violation } from "./violation.ts";

export interface LockNeed {
  readonly path: string;
  /** The protected area or contract path that requires the lock. */
  readonly area: string;
  /** Null for a protected area without a configured lock: it may not be changed at all. */
  readonly resource: string | null;
}

/** Every lock the plan needs, in the order of acquisition. */
export function requiredLocks(plan: Plan, policy: Policy): string[] {
  const forPaths = pathLocks(policy);
  const needed = [
    ...contractLocks(plan, policy),
    ...plannedFiles(plan).flatMap(({ path }) => forPaths(path).flatMap(({ resource }) => resource ?? [])),
  ];
  return [...new Set(needed)].toSorted();
}

function contractLocks({ contracts }: Plan, { locks }: Policy): string[] {
  const names = (["openapi", "events", "db"] as const).filter((contract) => contracts[contract] !== "none");
  return names.map((contract) => locks.contract_to_resource[contract]);
}

/** The locks needed to change a path: one for its contract path, and one for each protected area that contains it. */
export function pathLocks(policy: Policy): (path: string) => LockNeed[] {
  const { locks, protected_areas, path_rules } = policy;
  const needs = [
    ...Object.entries(locks.path_resources).map(([area, resource]) => ({ area, resource, matching: "repo_prefix" as const })),
    ...protected_areas.map((area) => ({ area, resource: areaResource(area, policy), matching: path_rules.matching })),
  ].map(({ area, resource, matching }) => ({ area, resource, covers: strictAreaMatcher([area], matching) }));
  return (path) => needs.filter(({ covers }) => covers(path) !== null).map(({ area, resource }) => ({ path, area, resource }));
}

export function missingLocks(needs: readonly LockNeed[], heldLocks: readonly string[]): Violation[] {
  return needs
    .filter(({ resource }) => resource === null || !heldLocks.includes(resource))
    .map(({ path, area, resource }) =>
      resource === null
        ? violation(
            "lock_not_held",
            "protected_area",
            `${area} is protected and no lock is configured for it; list "protected:${area}" in locks.resources`,
            { path },
          )
        : violation("lock_not_held", "lock_required", `a change in ${area} needs the lock ${resource}`, { path, resource }),
    );
}

function areaResource(area: string, { locks }: Policy): string | null {
  const own = `protected:${area}`;
  return locks.path_resources[area] ?? (locks.resources.includes(own) ? own : null);
}
