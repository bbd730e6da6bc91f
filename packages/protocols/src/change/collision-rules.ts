import type { Failure } from "@slipway/durable/errors";

/** A feature whose plan, claim or lock conflicts with another feature's plan. */
export interface InTheWay {
  readonly feature_id: string;
  /** Its position in the order of this run; null for a feature of another run. */
  readonly place: number | null;
}

export interface Collided {
  /** A feature that submits its first plan holds nothing. One that updates its plan holds locks that others may wait for. */
  readonly purpose: "submit" | "update";
  readonly place: number;
  readonly inTheWay: readonly InTheWay[];
  /** How often this plan has already waited. */
  readonly waited: number;
}

export type CollisionRuling = "wait" | "revise" | "ask";

/** After this many waits for the same plan, a person is asked. */
export const MAX_WAITS = 10;

/**
 * Decides a collision. Waiting costs nothing, so a first plan waits. A plan update waits only for earlier features and is revised
 * otherwise, so no wait cycle can form. A run cannot wait for a feature of another run: then a person is asked.
 */
export function ruleOn({ purpose, place, inTheWay, waited }: Collided): CollisionRuling {
  if (waited >= MAX_WAITS || inTheWay.some((other) => other.place === null)) return "ask";
  if (purpose === "submit") return "wait";
  return inTheWay.every((other) => other.place !== null && other.place < place) ? "wait" : "revise";
}

/** The conflicting resources as text: `file src/a.ts`. */
export function resourcesIn({ details }: Failure): string[] {
  const collisions = Array.isArray(details["collisions"]) ? (details["collisions"] as { type: string; resource: string }[]) : [];
  const held = Array.isArray(details["held"]) ? (details["held"] as { resource: string }[]) : [];
  return [...collisions.map(({ type, resource }) => `${type} ${resource}`), ...held.map(({ resource }) => `lock ${resource}`)];
}

export function conflictingIn({ details }: Failure): string[] {
  const ids = details["conflicting_feature_ids"];
  return Array.isArray(ids) ? ids.map(String) : [];
}
