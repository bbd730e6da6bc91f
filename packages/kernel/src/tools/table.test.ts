import { expect, test } from "vitest";
import { DEFAULT_RBAC, TOOLS } from "../config/rbac.ts";
import { ALL_TOOLS } from "./all.ts";
import { sampleTools } from "./testing/sample-tools.ts";
import { assembleTools } from "./table.ts";

test("[FEA-068] there are thirty-one tools, each defined once", () => {
  expect(TOOLS).toHaveLength(31);
  expect(new Set(TOOLS).size).toBe(31);
  expect([...assembleTools(ALL_TOOLS).keys()].toSorted()).toEqual([...TOOLS].toSorted());
});

test("[FEA-068] a missing, extra or duplicate tool stops start-up, and is named", () => {
  const [first, ...others] = sampleTools();
  if (first === undefined) throw new Error("no sample");
  expect(() => assembleTools([first, first], ["plan.get", "repo.diff"])).toThrow("plan.get is defined twice; repo.diff is not defined");
  expect(() => assembleTools(others, ["feature.log_append"])).toThrow("feature.state_patch is not a tool of the catalog");
  expect([...assembleTools([first], ["plan.get"]).keys()]).toEqual(["plan.get"]);
});

const READS =
  "feature.discover_specs feature.get_context feature.state_get plan.get repo.status repo.diff repo.read_file repo.search repo.diff_bundle gates.list evidence.latest qa.test_index_get collisions.scan";

test.each([
  [
    "orchestrator",
    `${READS} report.dashboard report.feature_summary feature.init plan.submit plan.update locks.acquire locks.release gates.run feature.ready_to_merge feature.state_patch qa.test_index_update feature.log_append`,
  ],
  ["planner", `${READS} plan.submit plan.update`],
  ["builder", `${READS} repo.apply_patch gates.run`],
  ["qa", `${READS} repo.apply_patch gates.run qa.test_index_update`],
] as const)("[FEA-003] [FEA-017] [FEA-064] [FEA-065] [FEA-066] by default %s may call these tools and no others", (role, tools) => {
  expect([...DEFAULT_RBAC[role]].toSorted()).toEqual(tools.split(" ").toSorted());
});

test("[FEA-067] by default five tools are for the system alone", () => {
  const closed = TOOLS.filter((name) =>
    (["orchestrator", "planner", "builder", "qa"] as const).every((role) => !DEFAULT_RBAC[role].includes(name)),
  );
  expect(closed.toSorted()).toEqual(["feature.delete", "repo.commit", "repo.ensure_worktree", "repo.merge", "repo.rebase_onto_main"]);
  expect([...DEFAULT_RBAC.system].toSorted()).toEqual([...TOOLS].toSorted());
});
