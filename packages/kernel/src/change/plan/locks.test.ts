import { expect, test } from "vitest";
import { pathLocks, requiredLocks } from "./locks.ts";
import { planOf, policyOf } from "./testing/samples.ts";

const needed = (contracts: Record<string, string>, policy = policyOf()) => requiredLocks(planOf({ contracts }), policy);

test("[FEA-111] each contract change needs the lock it is mapped to, and a policy that maps to an unlisted lock is invalid", () => {
  expect(needed({ openapi: "none", events: "none", db: "none" })).toEqual([]);
  expect(needed({ openapi: "modify", events: "none", db: "none" })).toEqual(["openapi"]);
  expect(needed({ openapi: "none", events: "modify", db: "none" })).toEqual(["events"]);
  expect(needed({ openapi: "none", events: "none", db: "migration" })).toEqual(["db_migrations"]);
  const mapped = policyOf({ "locks.resources": ["z", "m", "a"], "locks.contract_to_resource": { openapi: "z", events: "m", db: "a" } });
  expect(needed({ openapi: "modify", events: "modify", db: "migration" }, mapped)).toEqual(["a", "m", "z"]);
  for (const contract of ["openapi", "events", "db"]) {
    expect(() => policyOf({ [`locks.contract_to_resource.${contract}`]: "unlisted" })).toThrowError(
      expect.objectContaining({ code: "config_invalid" }),
    );
  }
});

test("a path needs the lock of its contract path and of every protected area around it", () => {
  const policy = policyOf({
    protected_areas: ["libs", "libs/core", "api"],
    "locks.resources": ["openapi", "events", "db_migrations", "protected:libs/core"],
    "locks.path_resources": { "api/openapi.yaml": "openapi", api: "events" },
  });
  const needs = (path: string) => pathLocks(policy)(path).map(({ area, resource }) => [area, resource]);
  expect(needs("src/a.ts")).toEqual([]);
  expect(needs("libs/x.ts")).toEqual([["libs", null]]);
  expect(needs("LIBS/Core/x.ts")).toEqual([
    ["libs", null],
    ["libs/core", "protected:libs/core"],
  ]);
  expect(needs("api/openapi.yaml")).toEqual([
    ["api/openapi.yaml", "openapi"],
    ["api", "events"],
    ["api", "events"],
  ]);
  const plan = planOf({ files: { create: ["libs/core/a"], modify: ["api/openapi.yaml", "libs/x"], delete: [] } });
  expect(requiredLocks(plan, policy)).toEqual(["events", "openapi", "protected:libs/core"]);
});
