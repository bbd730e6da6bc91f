import type { PlantFate } from "./judge-plants.ts";
import type { Plant } from "./plant.ts";

/** What can be planted in a gate. */
export interface PlantPlans {
  /** The kind of plant that this gate is expected to run. */
  readonly first: readonly Plant[];
  readonly second: readonly Plant[];
  /** Exceptions in the tests of the project that were changed to fail. */
  readonly inTests: readonly Plant[];
}

export interface TriedPlants {
  readonly verdict: PlantFate["fate"];
  readonly unseen: readonly Plant[];
  /** Files with a plant that turned red. */
  readonly red: ReadonlySet<string>;
}

export interface TriedPlans {
  /** The kind of plant at which the gate turned red; null if its verdict is not proven. */
  readonly collects: "test" | "load" | null;
  /** Files of changed tests whose failure was hidden: an exception at their end was shown. */
  readonly hiding: ReadonlySet<string>;
}

const decided = (collects: TriedPlans["collects"], hiding: ReadonlySet<string> = new Set()): TriedPlans => ({ collects, hiding });

/**
 * Plants until something decides. A test of the project that was changed to fail and that nothing shows is not part of the gate, unless an
 * exception in the same file turns it red: then its failure was hidden.
 */
export async function tryPlans(
  { first, second, inTests }: PlantPlans,
  run: (plants: readonly Plant[]) => Promise<TriedPlants>,
): Promise<TriedPlans> {
  for (const plants of [first, second]) {
    if (plants.length === 0) continue;
    const { verdict, unseen, red } = await run(plants);
    if (verdict === "green") return decided(null);
    if (verdict === "unseen") continue;
    if (plants[0]?.kind === "load") {
      const hiding = plants === second && inTests.length > 0 ? (await run(inTests)).red : new Set<string>();
      return decided(hiding.size > 0 ? null : "load", hiding);
    }
    // A runner may stop at the first failure. The tests that the report of the passed gate names get a second chance.
    const missing = unseen.filter((plant) => plant.kind === "test" && plant.reported && !red.has(plant.path));
    return decided(missing.length === 0 || (await run(missing)).verdict === "red" ? "test" : null);
  }
  return decided(null);
}
