import { describe, expect, test } from "vitest";
import { checkChanges, type PlannedChange } from "./changes.ts";
import { planOf, policyOf } from "./testing/samples.ts";

const MODES = { A: ["000000", "100644"], M: ["100644", "100644"], D: ["100644", "000000"], T: ["120000", "100644"] } as const;
const change = (status: PlannedChange["status"], path: string, modes: readonly [string, string] = MODES[status]): PlannedChange => ({
  path,
  status,
  oldMode: modes[0],
  newMode: modes[1],
});
const plan = planOf();
const listed = (changes: readonly PlannedChange[], policy = policyOf(), heldLocks: readonly string[] = []) =>
  checkChanges(changes, plan, policy, heldLocks).map(({ code, rule, path }) =>
    [code, rule, path].filter((part) => part !== null).join(" "),
  );

test("paths that the plan lists are allowed", () => {
  expect(listed([change("A", "src/new.ts"), change("M", "src/greet.ts"), change("D", "src/old.ts")])).toEqual([]);
});

test("a later patch may change or remove a file that the plan creates", () => {
  expect(listed([change("M", "src/new.ts")])).toEqual([]);
  expect(listed([change("D", "src/new.ts")])).toEqual([]);
  expect(listed([change("T", "src/new.ts")])).toEqual([]);
});

describe("each offending path and rule", () => {
  test("operations the plan does not list", () => {
    expect(
      listed([change("A", "src/greet.ts"), change("M", "src/old.ts"), change("D", "src/greet.ts"), change("T", "src/other.ts")]),
    ).toEqual([
      "policy_violation not_in_files_create src/greet.ts",
      "policy_violation not_in_files_modify src/old.ts",
      "policy_violation not_in_files_delete src/greet.ts",
      "policy_violation not_in_files_modify src/other.ts",
    ]);
    expect(listed([change("A", "src/other.ts")], policyOf({ "patch_policy.enforce_plan": false }))).toEqual([]);
  });

  test("paths outside the allowed areas", () => {
    const both = ["policy_violation outside_allowed_areas docs/a.md", "policy_violation not_in_files_create docs/a.md"];
    expect(listed([change("A", "docs/a.md")])).toEqual(both);
    expect(listed([change("A", "docs/a.md")], policyOf({ "patch_policy.enforce_allowed_areas": false }))).toEqual(both.slice(1));
    expect(listed([change("A", "docs/a.md")], policyOf({ "patch_policy.enforce_plan": false }))).toEqual(both.slice(0, 1));
  });
});

test("both ends of a rename are judged, and so is a change of mode", () => {
  // Renames and copies arrive as their effects: a deletion and a creation.
  expect(listed([change("D", "src/old.ts"), change("A", "src/secret/old.ts")])).toEqual([
    "policy_violation forbidden_area src/secret/old.ts",
    "policy_violation not_in_files_create src/secret/old.ts",
  ]);
  expect(listed([change("D", "src/secret/key.ts"), change("A", "src/new.ts")])).toContain(
    "policy_violation forbidden_area src/secret/key.ts",
  );
  expect(listed([change("M", "src/run.sh", ["100644", "100755"])])).toEqual(["policy_violation not_in_files_modify src/run.sh"]);
});

describe("areas with their own rules", () => {
  test("a forbidden area is refused under any policy and locks", () => {
    const policy = policyOf({
      "patch_policy.enforce_plan": false,
      "patch_policy.enforce_allowed_areas": false,
      "locks.path_resources": { "src/secret": "openapi" },
    });
    expect(listed([change("M", "src/secret/a.ts"), change("M", "Src/Secret/a.ts")], policy, ["openapi"])).toEqual([
      "policy_violation forbidden_area src/secret/a.ts",
      "policy_violation forbidden_area Src/Secret/a.ts",
    ]);
  });

  test("a protected area and a contract path need their locks", () => {
    const policy = policyOf({
      "patch_policy.enforce_plan": false,
      "patch_policy.enforce_allowed_areas": false,
      protected_areas: ["libs/core", "libs/other"],
      "locks.resources": ["openapi", "events", "db_migrations", "protected:libs/core"],
      "locks.path_resources": { "api/openapi.yaml": "openapi" },
    });
    const changes = [change("M", "libs/core/a.ts"), change("M", "api/openapi.yaml"), change("M", "libs/core2/a.ts")];
    expect(checkChanges(changes, plan, policy)).toMatchObject([
      { code: "lock_not_held", rule: "lock_required", path: "libs/core/a.ts", resource: "protected:libs/core" },
      { code: "lock_not_held", rule: "lock_required", path: "api/openapi.yaml", resource: "openapi" },
    ]);
    expect(listed(changes, policy, ["protected:libs/core", "openapi"])).toEqual([]);
    expect(checkChanges([change("M", "libs/other/a.ts")], plan, policy, ["openapi"])).toMatchObject([
      { code: "lock_not_held", rule: "protected_area", resource: null },
    ]);
  });
});

describe("under any plan", () => {
  const anything = policyOf({ "patch_policy.enforce_plan": false, "patch_policy.enforce_allowed_areas": false });

  test.each(["../x", "/etc/passwd", ".git/config", "a/.GIT/x", "git~1/x", "a\u202eb", "a\0b", "./src/a.ts", "src//a.ts"])(
    "the path %j is out of bounds",
    (path) => {
      expect(checkChanges([change("A", path)], null, anything)).toMatchObject([{ code: "path_out_of_bounds", rule: "path" }]);
    },
  );

  test("a symbolic link may not be added, but may be removed", () => {
    expect(listed([change("A", "x", ["000000", "120000"]), change("T", "y", ["100644", "120000"])], anything)).toEqual([
      "policy_violation symlink x",
      "policy_violation symlink y",
    ]);
    expect(listed([change("D", "x", ["120000", "000000"]), change("T", "y", ["120000", "100644"])], anything)).toEqual([]);
    const allowing = policyOf({
      "patch_policy.enforce_plan": false,
      "patch_policy.enforce_allowed_areas": false,
      "path_rules.allow_symlink_traversal": true,
    });
    expect(listed([change("A", "x", ["000000", "120000"])], allowing)).toEqual([]);
  });

  test("submodules may not change", () => {
    expect(
      listed([change("A", "vendor/x", ["000000", "160000"]), change("M", ".gitmodules"), change("A", "sub/.GitModules")], anything),
    ).toEqual([
      "policy_violation submodule vendor/x",
      "policy_violation submodule .gitmodules",
      "policy_violation submodule sub/.GitModules",
    ]);
  });

  test("more files than allowed are refused", () => {
    const policy = policyOf({
      "patch_policy.enforce_plan": false,
      "patch_policy.enforce_allowed_areas": false,
      "patch_policy.max_files": 2,
    });
    expect(listed([change("A", "a"), change("A", "b")], policy)).toEqual([]);
    expect(listed([change("A", "a"), change("A", "b"), change("A", "c")], policy)).toEqual(["policy_violation max_files"]);
  });

  test("without an accepted plan nothing may change, unless the policy allows it", () => {
    expect(checkChanges([change("A", "a")], null, policyOf())).toMatchObject([{ code: "plan_not_found" }]);
    expect(checkChanges([change("A", "a")], null, anything)).toEqual([]);
  });
});
