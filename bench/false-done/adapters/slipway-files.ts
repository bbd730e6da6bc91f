import type { Project } from "../contract.ts";
import { isPython } from "../prepare.ts";

const REPORTING: ReadonlySet<string> = new Set(["till", "workspace"]);

/** A gate's own program, which no agent sees: packs omit files below slipway/. */
export function heldOut(project: Project): string {
  return `slipway/held-out/acceptance.${isPython(project) ? "py" : "mjs"}`;
}

/** One attempt, unless the case has a second one. */
export function policyYaml(attempts: number): string {
  return `version: 1
commit_policy: { allow_commit: false, allow_merge: false }
patch_policy: { enforce_plan: true, enforce_allowed_areas: true }
locks: { resources: [openapi, events, db_migrations], lease_ttl_seconds: 60 }
protected_areas: [slipway]
required_modes: [fast, full]
required_merge_mode: full
config_precedence: [policy_hard_constraints, gates_profile_defaults, plan_verification_overrides]
path_rules: { matching: repo_prefix }
merge_policy: { allowed_strategies: [squash] }
worktree: { base_branch: main }
implementation: { workspace: nx }
testing: { framework: vitest }
supervisor: { max_iterations_per_phase: ${attempts} }
probe: { mode: fast, mutants: 3 }
`;
}

export function gatesYaml(project: Project, { held, seconds }: { readonly held: boolean; readonly seconds: number }): string {
  const { name, test } = project;
  const step = (called: string, cmd: readonly string[], cwd = ".") =>
    `{ name: ${called}, cmd: ${JSON.stringify(cmd)}, cwd: ${cwd}, timeout_seconds: ${seconds} }`;
  const own = step("test", test);
  const more = [
    ...(name === "till" ? [step("check", ["sh", "scripts/check.sh"])] : []),
    ...(held ? [step("held-out", [isPython(project) ? "python3" : "node", heldOut(project)])] : []),
  ];
  const units = step("test", ["node", "--run", "test"], "packages/units");
  return [
    "version: 1",
    "profiles:",
    "  default:",
    "    modes:",
    `      fast: [${own}]`,
    `      full: [${[own, ...more].join(", ")}]`,
    ...(name === "workspace" ? ["  units:", "    modes:", `      fast: [${units}]`, `      full: [${units}]`] : []),
    // The others write no report.
    ...(REPORTING.has(name) ? ["parsers: { tests: { type: junit_xml, path: reports/junit.xml } }"] : []),
    "",
  ].join("\n");
}

export function agentsYaml(command: readonly string[]): string {
  return `version: 1\nroles: {}\nruntime: { default_provider: custom, custom: { command: ${JSON.stringify(command)}, timeout_seconds: 60 } }\n`;
}
