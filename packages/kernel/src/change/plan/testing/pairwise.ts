import type { Policy } from "../../../config/policy.ts";
import { areaMatcher } from "../../../paths/areas.ts";
import type { Collision } from "../collisions.ts";
import { plannedFiles, type Plan } from "../schema.ts";

/** A direct implementation of the requirement for two plans, without claims, to test the claims against. */
export function pairwiseCollisions(one: Plan, two: Plan, policy: Policy): Collision[] {
  const [first, second] = [one.feature_id, two.feature_id].toSorted();
  if (first === undefined || second === undefined || first === second) return [];
  const collide = (type: Collision["type"], resources: readonly string[]) =>
    resources.map((resource) => ({ type, resource, features: [first, second] as const }));
  const pathsOf = (plan: Plan) => new Set(plannedFiles(plan).map(({ path }) => path));
  const areas = [...new Set([...policy.protected_areas, ...policy.exclusive_areas])];
  const touches = (plan: Plan, area: string) => {
    const covers = areaMatcher([area], policy.path_rules.matching);
    return [...pathsOf(plan)].some((path) => covers(path) !== null);
  };
  return [
    ...collide(
      "file",
      [...pathsOf(one)].filter((path) => pathsOf(two).has(path)),
    ),
    ...collide(
      "area",
      areas.filter((area) => touches(one, area) && touches(two, area)),
    ),
    ...collide(
      "contract",
      (["openapi", "events"] as const).filter((contract) => one.contracts[contract] === "modify" && two.contracts[contract] === "modify"),
    ),
    ...collide("migration", one.contracts.db === "migration" && two.contracts.db === "migration" ? ["db"] : []),
  ];
}
