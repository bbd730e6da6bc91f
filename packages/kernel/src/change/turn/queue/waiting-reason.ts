import type { Collision, CollisionReport } from "../../plan/collisions.ts";

const LISTED = 5;

/** Why a feature waits, for readers of its state. */
export function waitingReason({ collisions, conflicting_feature_ids }: CollisionReport, circle: readonly string[] | null): string {
  const items = collisions.slice(0, LISTED).map(({ type, resource }) => `${type} ${resource}`);
  const more = collisions.length > LISTED ? `, and ${collisions.length - LISTED} more` : "";
  const waits = `the plan waits for ${conflicting_feature_ids.join(", ")}: ${items.join(", ")}${more}`;
  return circle === null ? waits : `${waits}; they wait for each other (${circle.join(" → ")}): revise one of the plans`;
}

/** Collisions by kind, as in the feature's state. Locks of other features are in the queue's required_resources instead. */
export function collisionsByKind({ collisions }: CollisionReport) {
  const of = (...types: readonly Collision["type"][]) => collisions.filter(({ type }) => types.includes(type));
  return { files: of("file"), areas: of("area"), contracts: of("contract", "migration") };
}

export const NO_COLLISIONS = { files: [], areas: [], contracts: [] };

/** The cycle through which a feature waits for itself, including both ends; null if there is none. The shortest, then the first by name. */
export function circleOf(feature: string, waits: ReadonlyMap<string, readonly string[]>): string[] | null {
  const seen = new Set<string>();
  for (let ways: string[][] = [[feature]]; ways.length > 0;) {
    const next: string[][] = [];
    for (const way of ways) {
      for (const other of (waits.get(way.at(-1) ?? "") ?? []).toSorted()) {
        if (other === feature) return [...way, feature];
        if (!seen.has(other)) next.push([...way, other]);
        seen.add(other);
      }
    }
    ways = next;
  }
  return null;
}
