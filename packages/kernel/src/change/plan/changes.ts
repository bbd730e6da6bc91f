import type { Policy } from "../../config/policy.ts";
import { areaMatcher, strictAreaMatcher } from "../../paths/areas.ts";
import { missingLocks, pathLocks } from "./locks.ts";
import { canonicalPath, visible } from "../../paths/paths.ts";
import type { Plan } from "./schema.ts";
import { violation, type Violation } from "./violation.ts";

/** One line of `git diff --raw --no-renames`. A rename is a deletion and a creation, so both paths are checked. */
export interface PlannedChange {
  readonly path: string;
  readonly status: "A" | "M" | "D" | "T";
  /** git's mode, for example "100644"; "000000" for none. */
  readonly oldMode: string;
  readonly newMode: string;
}

const SYMLINK = "120000";
const SUBMODULE = "160000";

/** A later patch may change or remove a file that the plan creates. `checkPlan` ensures that a created file does not exist at the base. */
const LISTS: Record<PlannedChange["status"], readonly (keyof Plan["files"])[]> = {
  A: ["create"],
  M: ["modify", "create"],
  T: ["modify", "create"],
  D: ["delete", "create"],
};

/**
 * Every rule a patch breaks, by path; empty means that it may be applied. `copied` are files whose content the patch copies without
 * changing them: they need not be in the plan's lists, but all other rules apply.
 */
export function checkChanges(
  changes: readonly PlannedChange[],
  plan: Plan | null,
  policy: Policy,
  heldLocks: readonly string[] = [],
  copied: readonly string[] = [],
): Violation[] {
  const { enforce_plan, max_files } = policy.patch_policy;
  if (plan === null && enforce_plan) return [violation("plan_not_found", "enforce_plan", "no plan is accepted, so nothing may be changed")];
  const violations: Violation[] = [];
  if (changes.length > max_files)
    violations.push(violation("policy_violation", "max_files", `${changes.length} files are changed; the maximum is ${max_files}`));
  const pathRules = [pathRule, ...(plan === null ? [] : areaRules(plan, policy)), lockRule(policy, heldLocks)];
  const changeRules = [...pathRules, kindRule(policy), ...(plan === null ? [] : [listRule(plan, policy)])];
  return [
    ...violations,
    ...changes.flatMap((change) => changeRules.flatMap((rule) => rule(change))),
    ...copied.flatMap((path) => pathRules.flatMap((rule) => rule({ path }))),
  ];
}

type PathRule = (changed: Pick<PlannedChange, "path">) => readonly Violation[];
type ChangeRule = (change: PlannedChange) => readonly Violation[];

function pathRule({ path }: Pick<PlannedChange, "path">): Violation[] {
  const result = canonicalPath(path);
  if (result.ok && result.path === path) return [];
  const reason = result.ok ? `must be written as ${visible(result.path)}` : result.reason;
  return [violation("path_out_of_bounds", "path", `the path ${reason}`, { path: visible(path) })];
}

function kindRule({ path_rules }: Policy): ChangeRule {
  return ({ path, newMode }) => {
    if (newMode === SUBMODULE || path.split("/").at(-1)?.toLowerCase() === ".gitmodules") {
      return [violation("policy_violation", "submodule", "submodules may not be added or changed", { path })];
    }
    if (newMode !== SYMLINK || path_rules.allow_symlink_traversal) return [];
    return [violation("policy_violation", "symlink", "symbolic links are not allowed", { path })];
  };
}

function areaRules(plan: Plan, policy: Policy): PathRule[] {
  const { enforce_allowed_areas } = policy.patch_policy;
  const allowed = areaMatcher(plan.allowed_areas, policy.path_rules.matching);
  const forbidden = strictAreaMatcher(plan.forbidden_areas, policy.path_rules.matching);
  return [
    ({ path }) => {
      const area = forbidden(path);
      return area === null ? [] : [violation("policy_violation", "forbidden_area", `the plan forbids changes in ${area}`, { path })];
    },
    ({ path }) => {
      if (!enforce_allowed_areas || allowed(path) !== null) return [];
      return [violation("policy_violation", "outside_allowed_areas", "is outside the plan's allowed_areas", { path })];
    },
  ];
}

function listRule(plan: Plan, { patch_policy }: Policy): ChangeRule {
  return ({ path, status }) => {
    const lists = LISTS[status];
    if (!patch_policy.enforce_plan || lists.some((list) => plan.files[list].includes(path))) return [];
    return [violation("policy_violation", `not_in_files_${lists[0]}`, `is not in the plan's files.${lists[0]}`, { path })];
  };
}

function lockRule(policy: Policy, heldLocks: readonly string[]): PathRule {
  const needs = pathLocks(policy);
  return ({ path }) => missingLocks(needs(path), heldLocks);
}
