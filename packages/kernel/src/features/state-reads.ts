import type { Configuration } from "../config/load.ts";
import type { Db, Tx } from "../database/tables.ts";
import { locksInForce } from "./locks.ts";
import type { Rooms } from "./rooms.ts";
import { stateOf, type State } from "./state.ts";
import { findFeature, type Feature } from "./store.ts";

export function modesOf({ gates }: Pick<Configuration, "gates">, { gate_profile }: Pick<Feature, "gate_profile">): string[] {
  return Object.keys(gates.profiles[gate_profile]?.modes ?? {});
}

/** The state of a feature as its rows have it now. */
export async function readState({ configuration }: Pick<Rooms, "configuration">, db: Db | Tx, id: string, now: number): Promise<State> {
  const feature = await findFeature(db, id);
  return stateOf({ feature, held: await locksInForce(db, id, now), modes: modesOf(configuration, feature) });
}
