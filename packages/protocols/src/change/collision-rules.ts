import type { Failure } from "@slipway/durable/errors";

/** A feature whose plan, claim or lock is in the way of another's plan. */
export interface InTheWay {
  readonly feature_id: string;
  /** Where it comes in this run; null when it is no part of it. */
  readonly place: number | null;
}

export interface Collided {
  /** A first plan has nothing to lose by waiting; an update is made by somebody who holds things others wait for. */
  readonly purpose: "submit" | "update";
  readonly place: number;
  readonly inTheWay: readonly InTheWay[];
  /** How often this plan has waited already. */
  readonly waited: number;
}

export type CollisionRuling = "wait" | "revise" | "ask";

/** A plan that collides again each time it has waited has more wrong with it than its timing. */
export const MAX_WAITS = 10;

/**
 * The orchestrator's decision on a collision. Waiting costs nothing, so that is the rule: a first plan waits for whoever has
 * one. Somebody who already holds a plan waits only for earlier features and else plans around, so nobody ever waits in a circle.
 * For a feature of another run nobody here can wait: a person is asked.
 */
export function ruleOn({ purpose, place, inTheWay, waited }: Collided): CollisionRuling {
  if (waited >= MAX_WAITS || inTheWay.some((other) => other.place === null)) return "ask";
  if (purpose === "submit") return "wait";
  return inTheWay.every((other) => other.place !== null && other.place < place) ? "wait" : "revise";
}

/** What is in the way, in words: `file src/a.ts`. */
export function resourcesIn({ details }: Failure): string[] {
  const collisions = Array.isArray(details["collisions"]) ? (details["collisions"] as { type: string; resource: string }[]) : [];
  const held = Array.isArray(details["held"]) ? (details["held"] as { resource: string }[]) : [];
  return [...collisions.map(({ type, resource }) => `${type} ${resource}`), ...held.map(({ resource }) => `lock ${resource}`)];
}

export function conflictingIn({ details }: Failure): string[] {
  const ids = details["conflicting_feature_ids"];
  return Array.isArray(ids) ? ids.map(String) : [];
}
