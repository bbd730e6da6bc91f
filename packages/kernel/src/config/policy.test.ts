import { describe, expect, test } from "vitest";
import { parsePolicy } from "./policy.ts";
import { ACTOR_ROLES, DEFAULT_RBAC, TOOLS } from "./rbac.ts";
import { supervisorSettings } from "./supervisor.ts";
import { refusalOf, violationsIn } from "./testing/refusal.ts";
import { POLICY_YAML, policyYaml } from "./testing/samples.ts";

const FILE = "slipway/policy.yaml";
const policy = (changes: Readonly<Record<string, unknown>> = {}) => parsePolicy(FILE, policyYaml(changes));
const refused = (changes: Readonly<Record<string, unknown>>) => refusalOf(() => policy(changes));
const pointers = (changes: Readonly<Record<string, unknown>>) => violationsIn(refused(changes)).map(({ pointer }) => pointer);

const REQUIRED = [
  "version",
  "commit_policy.allow_commit",
  "commit_policy.allow_merge",
  "patch_policy.enforce_plan",
  "patch_policy.enforce_allowed_areas",
  "locks.resources",
  "locks.lease_ttl_seconds",
  "protected_areas",
  "required_modes",
  "required_merge_mode",
  "config_precedence",
  "path_rules.matching",
  "implementation.workspace",
  "testing.framework",
  "merge_policy.allowed_strategies",
  "worktree.base_branch",
];
const asPointer = (dotted: string) => `/${dotted.replaceAll(".", "/")}`;

describe("required fields", () => {
  test("[FEA-041] every missing field is reported, alone with its section, and all together", () => {
    for (const field of REQUIRED) {
      expect(violationsIn(refused({ [field]: undefined }))).toMatchObject([{ pointer: asPointer(field), rule: "required" }]);
    }
    for (const section of new Set(REQUIRED.map((field) => field.split(".")[0] ?? ""))) {
      const expected = REQUIRED.filter((field) => field.split(".")[0] === section).map(asPointer);
      expect(pointers({ [section]: undefined })).toEqual(expected);
    }
    expect(violationsIn(refusalOf(() => parsePolicy(FILE, ""))).map(({ pointer }) => pointer)).toEqual(REQUIRED.map(asPointer));
  });

  test("the sample needs nothing else", () => {
    expect(parsePolicy(FILE, POLICY_YAML)).toEqual(policy());
  });
});

test("[FEA-042] missing values get defaults", () => {
  expect(policy()).toMatchObject({
    collision_policy: "reject",
    exclusive_areas: [],
    rbac: DEFAULT_RBAC,
    locks: {
      contract_to_resource: { openapi: "openapi", events: "events", db: "db_migrations" },
      acquire_behavior: "wait",
      default_wait_timeout_seconds: 300,
    },
    path_rules: { allow_symlink_traversal: false },
    execution: { default_step_timeout_seconds: 600, retry_policy: { transient_max_retries: 1 } },
    merge_policy: { require_user_approval: true },
    testing: { coverage: { minimums: { line: 0.9, branch: 0.9 }, targets: { line: 1, branch: 1 } } },
  });
});

test("Slipway's own settings have safe defaults", () => {
  expect(policy()).toMatchObject({
    patch_policy: { max_bytes: 1_048_576, max_files: 300 },
    locks: { path_resources: {}, acquire_backoff: { initial_seconds: 0.2, factor: 2, max_seconds: 10, jitter: 0.2 } },
    sandbox: { read_only: [], shared_paths: [] },
    parsers: { allow_unsupported: false },
    execution: { env_allowlist: ["PATH", "LANG", "LC_ALL", "TZ"], retry_policy: { transient_error_codes: ["transient_exec_failure"] } },
    thresholds: { performance: {}, repository: {} },
  });
  expect(policy().protected_files).toContain("slipway/**");
  expect(policy().protected_tests).toContain("**/*.{test,spec}.*");
});

test("[FEA-043] each setting accepts only its known values", () => {
  const accepted: [string, unknown[]][] = [
    ["collision_policy", ["reject", "block"]],
    ["locks.acquire_behavior", ["wait", "fail"]],
    ["path_rules.matching", ["repo_prefix", "glob"]],
    ["merge_policy.allowed_strategies", [["merge_commit"], ["squash", "rebase"]]],
    ["testing.framework", ["vitest"]],
    ["path_rules.normalize_paths", [true]],
  ];
  for (const [field, values] of accepted) {
    for (const value of values) expect(policy({ [field]: value })).toHaveProperty(field, value);
  }
  const wrong: [string, unknown][] = [
    ["collision_policy", "ignore"],
    ["locks.acquire_behavior", "retry"],
    ["path_rules.matching", "regex"],
    ["testing.framework", "jest"],
    ["path_rules.normalize_paths", false],
  ];
  for (const [field, value] of wrong) {
    expect(refused({ [field]: value }).code).toBe("config_invalid");
    expect(pointers({ [field]: value })).toEqual([asPointer(field)]);
  }
  expect(pointers({ "merge_policy.allowed_strategies": ["squash", "octopus"] })).toEqual(["/merge_policy/allowed_strategies/1"]);
});

describe("[FEA-044] config_precedence", () => {
  const [policyFirst, gates, plan] = ["policy_hard_constraints", "gates_profile_defaults", "plan_verification_overrides"];
  const order = [policyFirst, gates, plan];

  test.each([
    ["a list", order],
    ["ranks", { policy_hard_constraints: 1, gates_profile_defaults: 2, plan_verification_overrides: 3 }],
    ["ranks in another order of lines", { plan_verification_overrides: 30, policy_hard_constraints: 10, gates_profile_defaults: 20 }],
  ])("%s in the legal order is accepted", (_, written) => {
    expect(policy({ config_precedence: written }).config_precedence).toEqual(order);
  });

  test.each([
    ["two swapped", [gates, policyFirst, plan]],
    ["reversed", order.toReversed()],
    ["one missing", [policyFirst, gates]],
    ["one twice", [policyFirst, gates, plan, plan]],
    ["an unknown one", [...order, "agent"]],
    ["nothing", []],
    ["ranks reversed", { policy_hard_constraints: 3, gates_profile_defaults: 2, plan_verification_overrides: 1 }],
    ["equal ranks", { policy_hard_constraints: 1, gates_profile_defaults: 1, plan_verification_overrides: 2 }],
    ["a word", "policy"],
  ])("%s is refused", (_, written) => {
    expect(refused({ config_precedence: written })).toMatchObject({
      code: "invalid_override_precedence",
      details: { field: "/config_precedence" },
    });
  });
});

test("[FEA-045] the optional settings are accepted", () => {
  const changes = {
    "execution.retry_policy.transient_error_codes": ["transient_exec_failure", "gate_timeout"],
    "execution.retry_policy.non_retryable_error_codes": ["policy_violation"],
    "execution.env_allowlist": ["PATH", "JAVA_HOME"],
    "locks.acquire_backoff": { initial_seconds: 1, factor: 3, max_seconds: 9, jitter: 0.5 },
    thresholds: { coverage_line_min: 0.5, coverage_branch_min: 0.4, performance: { p95_ms: 20 }, repository: { todo_count: 0 } },
  };
  const read = policy(changes);
  for (const [path, value] of Object.entries(changes)) expect(read).toHaveProperty(path, value);
  expect(policy({ "rbac.builder": ["plan.get"] }).rbac).toEqual({ ...DEFAULT_RBAC, builder: ["plan.get"] });
  expect(pointers({ "rbac.builder": ["plan.gte"] })).toEqual(["/rbac/builder/0"]);
  expect(pointers({ "rbac.tester": ["plan.get"] })).toEqual(["/rbac/tester"]);
  expect(pointers({ "execution.env_allowlist": ["A=B"] })).toEqual(["/execution/env_allowlist/0"]);
  expect(pointers({ "thresholds.coverage_line_min": 90 })).toEqual(["/thresholds/coverage_line_min"]);
});

describe("[FEA-046]", () => {
  test("a workspace other than nx has its own code, also along with other problems", () => {
    expect(refused({ "implementation.workspace": "turborepo" }).code).toBe("invalid_workspace_implementation");
    const error = refused({ "implementation.workspace": "turborepo", version: undefined });
    expect(error.code).toBe("invalid_workspace_implementation");
    expect(violationsIn(error).map(({ pointer }) => pointer)).toEqual(["/version", "/implementation/workspace"]);
  });

  test.each([
    ["testing.coverage.minimums.line", 0.89],
    ["testing.coverage.minimums.branch", 0],
    ["testing.coverage.minimums.line", 1.1],
    ["testing.coverage.targets.line", 0.99],
    ["testing.coverage.targets.branch", 0.9],
  ])("%s of %d is refused", (field, value) => {
    expect(pointers({ [field]: value })).toEqual([asPointer(field)]);
  });

  test("a stricter minimum is accepted", () => {
    expect(policy({ "testing.coverage.minimums.line": 0.95 }).testing.coverage.minimums).toEqual({ line: 0.95, branch: 0.9 });
  });
});

describe("locks", () => {
  test("a contract mapped to an unlisted lock is refused, also by default", () => {
    expect(pointers({ "locks.contract_to_resource": { openapi: "api" } })).toEqual(["/locks/contract_to_resource/openapi"]);
    expect(pointers({ "locks.resources": ["openapi"] })).toEqual(["/locks/contract_to_resource/events", "/locks/contract_to_resource/db"]);
    const renamed = { "locks.resources": ["api", "events", "db_migrations"], "locks.contract_to_resource": { openapi: "api" } };
    expect(policy(renamed).locks.contract_to_resource).toEqual({ openapi: "api", events: "events", db: "db_migrations" });
  });

  test("a path is mapped to a listed lock, in canonical form", () => {
    expect(policy({ "locks.path_resources": { "./api//openapi.yaml": "openapi" } }).locks.path_resources).toEqual({
      "api/openapi.yaml": "openapi",
    });
    expect(pointers({ "locks.path_resources": { api: "nope" } })).toEqual(["/locks/path_resources/api"]);
    expect(refused({ "locks.path_resources": { "../api": "openapi" } })).toMatchObject({
      code: "path_out_of_bounds",
      details: { field: "/locks/path_resources/..~1api" },
    });
  });
});

test.each([
  [{ protected_areas: ["../secrets"] }, "/protected_areas/0"],
  [{ exclusive_areas: ["src", "/etc"] }, "/exclusive_areas/1"],
  [{ "worktree.root": "../elsewhere" }, "/worktree/root"],
  [{ "sandbox.shared_paths": [".git/hooks"] }, "/sandbox/shared_paths/0"],
])("a path outside the repository %j fails with path_out_of_bounds", (changes, pointer) => {
  expect(refused(changes)).toMatchObject({ code: "path_out_of_bounds", details: { field: pointer } });
});

test.each([
  [{ typo: 1 }, "/typo"],
  [{ "locks.lease_ttl": 1 }, "/locks/lease_ttl"],
  [{ "worktree.base_branch": "-rf" }, "/worktree/base_branch"],
  [{ "worktree.base_branch": "a b" }, "/worktree/base_branch"],
  [{ "sandbox.read_only": ["/opt/java", "~/.m2", "opt/java"] }, "/sandbox/read_only/2"],
  [{ "locks.lease_ttl_seconds": 0 }, "/locks/lease_ttl_seconds"],
  [{ protected_files: ["**/+(a|b)"] }, "/protected_files/0"],
  [{ "path_rules.matching": "glob", protected_areas: ["src/**", "a*b*c*d*e"] }, "/protected_areas/1"],
  [{ version: 2 }, "/version"],
])("%j is refused", (changes, pointer) => {
  expect(refused(changes)).toMatchObject({ code: "config_invalid", details: { field: pointer } });
});

test("the protected paths can be configured", () => {
  const own = { protected_files: ["ci/**"], protected_tests: [] };
  expect(policy(own)).toMatchObject(own);
});

test("areas are stored in canonical form", () => {
  expect(policy({ protected_areas: ["./libs//core/", "."] }).protected_areas).toEqual(["libs/core", "."]);
});

describe("rbac", () => {
  test("workers get their few tools and no others", () => {
    const beyondReading = (role: "planner" | "builder" | "qa") => DEFAULT_RBAC[role].filter((tool) => !everyone.has(tool));
    const everyone = new Set(TOOLS.filter((tool) => ACTOR_ROLES.every((role) => DEFAULT_RBAC[role].includes(tool))));
    expect(beyondReading("planner")).toEqual(["plan.submit", "plan.update"]);
    expect(beyondReading("builder")).toEqual(["repo.apply_patch", "gates.run"]);
    expect(beyondReading("qa")).toEqual(["repo.apply_patch", "gates.run", "qa.test_index_update"]);
    expect(everyone.size).toBe(13);
  });

  test("there are the 30 numbered tools and feature.delete; system has all, five of them exclusively", () => {
    expect(new Set(TOOLS).size).toBe(31);
    expect(DEFAULT_RBAC.system).toEqual(TOOLS);
    const others = new Set(ACTOR_ROLES.filter((role) => role !== "system").flatMap((role) => DEFAULT_RBAC[role]));
    expect(TOOLS.filter((tool) => !others.has(tool))).toEqual([
      "repo.ensure_worktree",
      "repo.commit",
      "repo.rebase_onto_main",
      "repo.merge",
      "feature.delete",
    ]);
  });
});

describe("supervisor settings", () => {
  test("default to five features, two gate runs (three on a large machine), five rounds and the lock settings", () => {
    const defaults = {
      max_active_features: 5,
      max_parallel_gate_runs: 2,
      max_iterations_per_phase: 5,
      lock_wait_timeout_seconds: 300,
      lock_acquire_backoff_seconds: { initial_seconds: 0.2, factor: 2, max_seconds: 10, jitter: 0.2 },
    };
    expect(supervisorSettings(policy(), 7)).toEqual(defaults);
    expect(supervisorSettings(policy(), 8)).toEqual({ ...defaults, max_parallel_gate_runs: 3 });
    expect(supervisorSettings(policy({ "locks.default_wait_timeout_seconds": 9 }), 1).lock_wait_timeout_seconds).toBe(9);
  });

  test("follow the policy", () => {
    const supervisor = { max_active_features: 1, max_parallel_gate_runs: 1, max_iterations_per_phase: 7, lock_wait_timeout_seconds: 1 };
    const lock_acquire_backoff_seconds = { initial_seconds: 1, factor: 1, max_seconds: 1, jitter: 0 };
    const settings = { ...supervisor, lock_acquire_backoff_seconds };
    expect(supervisorSettings(policy({ supervisor: settings }), 16)).toEqual(settings);
  });
});
