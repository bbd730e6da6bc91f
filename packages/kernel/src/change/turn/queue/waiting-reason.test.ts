import fc from "fast-check";
import { expect, test } from "vitest";
import { reportOn } from "../../plan/collisions.ts";
import { circleOf, collisionsByKind, waitingReason } from "./waiting-reason.ts";

const report = (...items: readonly (readonly ["file" | "area" | "contract" | "migration" | "lock", string])[]) => {
  const found = reportOn(
    "me",
    items.map(([type, resource]) => ({ type, resource, feature_id: "other" })),
  );
  if (found === null) throw new Error("nothing in the way");
  return found;
};

test("a reason names the features and resources, and stays short", () => {
  expect(waitingReason(report(["lock", "openapi"]), null)).toBe("the plan waits for other: lock openapi");
  const many = Array.from({ length: 8 }, (_, index) => ["file", `src/${index}`] as const);
  expect(waitingReason(report(...many), null)).toMatch(/file src\/4, and 3 more$/);
  expect(waitingReason(report(["area", "db"]), ["me", "other", "me"])).toContain("me → other → me");
});

test("[FEA-105] a migration collision is listed with the contracts, and every item once", () => {
  const found = report(["file", "src/a"], ["area", "db"], ["contract", "openapi"], ["migration", "db"], ["lock", "openapi"]);
  const kinds = collisionsByKind(found);
  expect(kinds.contracts.map(({ type, resource }) => `${type} ${resource}`)).toEqual(["contract openapi", "migration db"]);
  expect([kinds.files.length, kinds.areas.length]).toEqual([1, 1]);
});

const NAMES = ["a", "b", "c", "d", "e"];
const graph = fc
  .tuple(...NAMES.map(() => fc.subarray(NAMES)))
  .map((edges) => new Map(NAMES.map((name, index) => [name, (edges[index] ?? []).filter((other) => other !== name)])));

test("a cycle is found exactly if there is one, and it leads from the feature back to itself", () => {
  fc.assert(
    fc.property(graph, fc.constantFrom(...NAMES), (waits, start) => {
      const reachable = new Set<string>();
      for (const next = [...(waits.get(start) ?? [])]; next.length > 0;) {
        const name = next.pop() ?? "";
        if (!reachable.has(name)) next.push(...(waits.get(name) ?? []));
        reachable.add(name);
      }
      const circle = circleOf(start, waits);
      expect(circle !== null).toBe(reachable.has(start));
      if (circle === null) return;
      expect([circle[0], circle.at(-1)]).toEqual([start, start]);
      circle.slice(1).forEach((name, index) => expect(waits.get(circle[index] ?? "")).toContain(name));
    }),
  );
});
