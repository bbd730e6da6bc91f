import { closest } from "../../schema/hint.ts";
import type { Policy } from "../../config/policy.ts";
import { looseOverrides } from "../judge/gates/precedence.ts";
import type { GatesConfig } from "../../config/gates.ts";
import { areaMatcher, globProblem, strictAreaMatcher } from "../../paths/areas.ts";
import { missingLocks, pathLocks, requiredLocks } from "./locks.ts";
import { newNameProblem } from "../../paths/new-names.ts";
import { visible } from "../../paths/paths.ts";
import { plannedFiles, type Plan } from "./schema.ts";
import { violation, type Violation } from "./violation.ts";

export interface PlanContext {
  readonly featureId: string;
  readonly policy: Policy;
  /** The version of the accepted plan; 0 if there is none. */
  readonly currentVersion: number;
  readonly gates?: GatesConfig;
  readonly heldLocks?: readonly string[];
  /** Whether the base commit contains this file. If undefined, the file lists are not compared with the repository. */
  readonly existsAtBase?: (path: string) => boolean;
}

/** Every rule that a schema-valid plan breaks; empty means that it may be accepted. */
export function checkPlan(plan: Plan, context: PlanContext): Violation[] {
  const areas = areaProblems(plan, context.policy);
  // An invalid pattern cannot be matched, so rules that depend on it are checked in the next round.
  const files = areas.length > 0 ? [] : fileProblems(plan, context);
  return [
    ...identityProblems(plan, context),
    ...versionProblems(plan, context),
    ...areas,
    ...files,
    ...profileProblems(plan, context),
    ...overrideProblems(plan, context),
    ...lockProblems(plan, context),
  ];
}

function identityProblems(plan: Plan, { featureId, policy }: PlanContext): Violation[] {
  const violations: Violation[] = [];
  if (plan.feature_id !== featureId) {
    violations.push(
      violation("policy_violation", "feature_id", `the plan is for ${visible(plan.feature_id)}, not for ${visible(featureId)}`),
    );
  }
  if (plan.feature_id === policy.worktree.base_branch) {
    violations.push(
      violation("policy_violation", "feature_id", `a feature may not have the name of the base branch, ${visible(plan.feature_id)}`),
    );
  }
  return violations;
}

function versionProblems(plan: Plan, { currentVersion }: PlanContext): Violation[] {
  const violations: Violation[] = [];
  if (plan.plan_version !== currentVersion + 1) {
    violations.push(
      violation("policy_violation", "plan_version", `plan_version must be ${currentVersion + 1}, found ${plan.plan_version}`),
    );
  }
  if (currentVersion === 0 && plan.revision_of !== undefined) {
    violations.push(violation("policy_violation", "revision_of", "the first plan revises nothing; omit revision_of"));
  }
  if (currentVersion > 0 && plan.revision_of !== currentVersion) {
    violations.push(
      violation("policy_violation", "revision_of", `revision_of must be ${currentVersion}, found ${plan.revision_of ?? "none"}`),
    );
  }
  return violations;
}

function areaProblems(plan: Plan, { path_rules }: Policy): Violation[] {
  return [...plan.allowed_areas, ...plan.forbidden_areas].flatMap((area) => {
    if (path_rules.matching === "repo_prefix") {
      if (!area.includes("*")) return [];
      return [
        violation(
          "policy_violation",
          "area",
          `${visible(area)} is a pattern, but this policy accepts only folders: "src" covers everything below src`,
        ),
      ];
    }
    const problem = globProblem(area);
    return problem === null ? [] : [violation("policy_violation", "area", `the pattern ${visible(area)} ${problem}`)];
  });
}

function fileProblems(plan: Plan, { policy, existsAtBase }: PlanContext): Violation[] {
  const allowed = areaMatcher(plan.allowed_areas, policy.path_rules.matching);
  const forbidden = strictAreaMatcher(plan.forbidden_areas, policy.path_rules.matching);
  const seen = new Map<string, string>();
  return plannedFiles(plan).flatMap(({ path, operation }) => {
    const violations: Violation[] = [];
    const report = (rule: string, message: string) => violations.push(violation("policy_violation", rule, message, { path }));
    const before = seen.get(path);
    if (before !== undefined) report("listed_twice", `listed under files.${operation} and already under files.${before}`);
    seen.set(path, operation);
    if (policy.patch_policy.enforce_allowed_areas && allowed(path) === null)
      report("outside_allowed_areas", "is outside the plan's allowed_areas");
    const area = forbidden(path);
    if (area !== null) report("forbidden_area", `is in the plan's own forbidden area ${area}`);
    const problem = operation === "create" ? newNameProblem(path) : null;
    if (problem !== null) report("new_name", problem);
    if (existsAtBase?.(path) === (operation === "create")) {
      report(
        "file_list",
        operation === "create" ? "already exists; list it under files.modify" : `does not exist, so it cannot be in files.${operation}`,
      );
    }
    return violations;
  });
}

function profileProblems({ gate_profile }: Plan, { gates }: PlanContext): Violation[] {
  if (gates === undefined || Object.hasOwn(gates.profiles, gate_profile)) return [];
  const names = Object.keys(gates.profiles);
  const meant = closest(gate_profile, names);
  const hint = meant === null ? `; available: ${names.join(", ")}` : `; did you mean ${visible(meant)}?`;
  return [violation("unknown_gate_profile_or_mode", "gate_profile", `gates.yaml has no profile ${visible(gate_profile)}${hint}`)];
}

/** Refuses early what gates.run would refuse: a plan may tighten the gates, never loosen them. */
function overrideProblems({ gate_profile, verification_overrides: overrides = {} }: Plan, { gates, policy }: PlanContext): Violation[] {
  if (gates === undefined) return [];
  const loose = looseOverrides(gates, gate_profile, policy.execution.default_step_timeout_seconds, overrides);
  return loose.map((message) => violation("invalid_override_precedence", "verification_overrides", message));
}

function lockProblems(plan: Plan, { policy, heldLocks = [] }: PlanContext): Violation[] {
  const needs = pathLocks(policy);
  const forPaths = missingLocks(
    plannedFiles(plan).flatMap(({ path }) => needs(path)),
    heldLocks,
  );
  const named = new Set(forPaths.map(({ resource }) => resource));
  const forContracts = requiredLocks(plan, policy)
    .filter((resource) => !heldLocks.includes(resource) && !named.has(resource))
    .map((resource) => violation("lock_not_held", "lock_required", `the plan's contract changes need the lock ${resource}`, { resource }));
  return [...forPaths, ...forContracts];
}
