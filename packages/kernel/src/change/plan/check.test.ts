import { describe, expect, test } from "vitest";
import { checkPlan, type PlanContext } from "./check.ts";
import { refusal } from "./violation.ts";
import { planOf, policyOf } from "./testing/samples.ts";

const context = (changes: Partial<PlanContext> = {}): PlanContext => ({
  featureId: "greeting",
  policy: policyOf(),
  currentVersion: 0,
  ...changes,
});
const found = (plan: Readonly<Record<string, unknown>>, changes: Partial<PlanContext> = {}) =>
  checkPlan(planOf(plan), context(changes)).map(({ code, rule, path, resource }) =>
    [code, rule, path ?? resource].filter((part) => part !== null).join(" "),
  );

const STEP = { name: "check", cmd: ["npm", "test"], timeout_seconds: 60 };
const gatesOf = (...profiles: string[]) => ({
  version: 1,
  profiles: Object.fromEntries(profiles.map((profile) => [profile, { modes: { fast: [STEP], full: [STEP] } }])),
});

const existsAtBase = (path: string) => path === "src/there.ts";

test("a valid plan has no violations", () => {
  expect(found({})).toEqual([]);
  expect(found({}, { gates: gatesOf("default"), existsAtBase: (path) => path !== "src/new.ts" })).toEqual([]);
});

test("a plan for another feature, or named like the base branch, is refused", () => {
  expect(found({ feature_id: "other" })).toEqual(["policy_violation feature_id"]);
  expect(found({ feature_id: "main" }, { featureId: "main" })).toEqual(["policy_violation feature_id"]);
});

describe("[FEA-032] versions", () => {
  test("the first plan is version 1 and revises nothing", () => {
    expect(found({ plan_version: 1 })).toEqual([]);
    expect(found({ plan_version: 2 })).toEqual(["policy_violation plan_version"]);
    expect(found({ plan_version: 1, revision_of: 1 })).toEqual(["policy_violation revision_of"]);
  });

  test("each update raises the version by exactly one", () => {
    expect(found({ plan_version: 4, revision_of: 3 }, { currentVersion: 3 })).toEqual([]);
    for (const plan_version of [1, 3, 5])
      expect(found({ plan_version, revision_of: 3 }, { currentVersion: 3 })).toEqual(["policy_violation plan_version"]);
    expect(found({ plan_version: 4 }, { currentVersion: 3 })).toEqual(["policy_violation revision_of"]);
    expect(found({ plan_version: 4, revision_of: 2 }, { currentVersion: 3 })).toEqual(["policy_violation revision_of"]);
  });
});

const files = (list: Partial<Record<"create" | "modify" | "delete", string[]>>) => ({
  files: { create: [], modify: [], delete: [], ...list },
});

describe("files", () => {
  test("a new one has a name that every file system has; an old one keeps its name", () => {
    expect(found(files({ create: ["src/aux.ts", "src/a.txt.", "src/Größe.md"] }))).toEqual([
      "policy_violation new_name src/aux.ts",
      "policy_violation new_name src/a.txt.",
    ]);
    expect(found(files({ modify: ["src/aux.ts"], delete: ["src/a.txt."] }))).toEqual([]);
  });

  test("outside the allowed areas and inside forbidden ones are named", () => {
    expect(found(files({ create: ["docs/a.md", "src2/b.ts"], delete: ["src/secret/key.ts"] }))).toEqual([
      "policy_violation outside_allowed_areas docs/a.md",
      "policy_violation outside_allowed_areas src2/b.ts",
      "policy_violation forbidden_area src/secret/key.ts",
    ]);
    expect(found(files({ modify: ["SRC/SECRET/x.ts"] }))).toContain("policy_violation forbidden_area SRC/SECRET/x.ts");
  });

  test("allowed areas apply only if the policy enforces them, forbidden ones always", () => {
    const policy = policyOf({ "patch_policy.enforce_allowed_areas": false });
    expect(found(files({ create: ["docs/a.md"], modify: ["src/secret/x"] }), { policy })).toEqual([
      "policy_violation forbidden_area src/secret/x",
    ]);
  });

  test("a path listed twice, in any spelling, is refused", () => {
    expect(found(files({ create: ["src/a.ts"], delete: ["./src//a.ts"] }))).toEqual(["policy_violation listed_twice src/a.ts"]);
  });

  test("creating an existing file and changing a missing one are refused if the snapshot is known", () => {
    expect(found(files({ create: ["src/there.ts"], modify: ["src/gone.ts"], delete: ["src/there.ts"] }), { existsAtBase })).toEqual([
      "policy_violation file_list src/there.ts",
      "policy_violation file_list src/gone.ts",
      "policy_violation listed_twice src/there.ts",
    ]);
  });

  test("areas are matched as the policy says", () => {
    expect(found({ allowed_areas: ["src/**"] })).toEqual(["policy_violation area"]);
    const policy = policyOf({ "path_rules.matching": "glob" });
    expect(found({ allowed_areas: ["src/**"], forbidden_areas: ["**/secret/**"] }, { policy })).toEqual([]);
    expect(found({ allowed_areas: ["src"], forbidden_areas: [] }, { policy })).toHaveLength(3);
    expect(found({ allowed_areas: ["src/**"], forbidden_areas: ["+(a)"] }, { policy })).toEqual(["policy_violation area"]);
  });
});

test("a gate profile that is not in gates.yaml is refused, with a hint", () => {
  const gates = gatesOf("default", "thorough");
  expect(checkPlan(planOf({ gate_profile: "through" }), context({ gates }))).toMatchObject([
    { code: "unknown_gate_profile_or_mode", message: 'gates.yaml has no profile "through"; did you mean "thorough"?' },
  ]);
  expect(checkPlan(planOf({ gate_profile: "toString" }), context({ gates }))[0]?.message).toContain("available: default, thorough");
});

describe("locks", () => {
  const contracts = { openapi: "modify", events: "none", db: "migration" };

  test("contract changes need their locks", () => {
    expect(found({ contracts })).toEqual(["lock_not_held lock_required db_migrations", "lock_not_held lock_required openapi"]);
    expect(found({ contracts }, { heldLocks: ["openapi"] })).toEqual(["lock_not_held lock_required db_migrations"]);
    expect(found({ contracts }, { heldLocks: ["db_migrations", "openapi"] })).toEqual([]);
  });

  test("protected areas need theirs, each named once", () => {
    const policy = policyOf({
      protected_areas: ["src/core"],
      "locks.resources": ["openapi", "events", "db_migrations", "protected:src/core"],
    });
    const plan = { files: { create: ["src/core/a.ts"], modify: ["src/greet.ts"], delete: [] } };
    expect(found(plan, { policy })).toEqual(["lock_not_held lock_required src/core/a.ts"]);
    expect(found(plan, { policy, heldLocks: ["protected:src/core"] })).toEqual([]);
  });
});

describe("refusal", () => {
  test("lists every violation and has the most severe code", () => {
    const violations = checkPlan(
      planOf({ contracts: { openapi: "modify", events: "none", db: "none" }, allowed_areas: ["test"] }),
      context(),
    );
    const error = refusal("The plan", violations);
    expect(error.code).toBe("policy_violation");
    expect(error.message).toBe(
      [
        "The plan breaks 4 rules:",
        "  src/new.ts: is outside the plan's allowed_areas (outside_allowed_areas)",
        "  src/greet.ts: is outside the plan's allowed_areas (outside_allowed_areas)",
        "  src/old.ts: is outside the plan's allowed_areas (outside_allowed_areas)",
        "  the plan's contract changes need the lock openapi (lock_required)",
      ].join("\n"),
    );
    expect(error.details).toMatchObject({
      violations,
      resources: ["openapi"],
      suggested_next_actions: ["Correct every violation listed, then submit again."],
    });
  });

  test("lists the missing locks if nothing else is wrong", () => {
    const violations = checkPlan(planOf({ contracts: { openapi: "modify", events: "none", db: "migration" } }), context());
    expect(refusal("The plan", violations)).toMatchObject({
      code: "lock_not_held",
      details: { suggested_next_actions: ["Acquire db_migrations, openapi first."] },
    });
    expect(refusal("The plan", violations.slice(0, 1)).message).toContain("breaks a rule:");
    expect(refusal("The plan", []).code).toBe("policy_violation");
  });
});

describe("[FEA-147] overrides of the gates", () => {
  const overriding = (...steps: object[]) => ({ verification_overrides: { modes: { fast: { steps } } } });
  const judged = (...steps: object[]) => found(overriding(...steps), { gates: gatesOf("default") });

  test("may append arguments and shorten the timeout", () => {
    expect(judged({ name: "check", cmd: ["npm", "test", "--", "a"], timeout_seconds: 5 })).toEqual([]);
    expect(found(overriding({ name: "none", cmd: ["true"] }))).toEqual([]);
  });

  test.each([
    ["another command", [{ name: "check", cmd: ["true"] }], 1],
    ["more time", [{ name: "check", cmd: ["npm", "test"], timeout_seconds: 61 }], 1],
    ["an unknown step", [{ name: "other", cmd: ["true"] }], 1],
    ["a step twice, the second time with another command", [STEP, { name: "check", cmd: ["true"] }], 2],
  ])("%s is refused with the plan, as gates.run would", (_what, steps, count) => {
    expect(judged(...steps)).toEqual(Array.from({ length: count }, () => "invalid_override_precedence verification_overrides"));
    expect(refusal("The plan", checkPlan(planOf(overriding(...steps)), context({ gates: gatesOf("default") }))).code).toBe(
      "invalid_override_precedence",
    );
  });
});
