import type { Configuration } from "../config/load.ts";
import { fixed } from "../database/fixed.ts";
import type { Db, Tx } from "../database/tables.ts";
import type { Rooms } from "./rooms.ts";
import { stateOf, type State } from "./state.ts";
import { findFeature, type Feature } from "./store.ts";

export function modesOf({ gates }: Pick<Configuration, "gates">, { gate_profile }: Pick<Feature, "gate_profile">): string[] {
  return Object.keys(gates.profiles[gate_profile]?.modes ?? {});
}

/** The state of a feature as its rows have it now. */
export async function readState({ configuration }: Pick<Rooms, "configuration">, db: Db | Tx, id: string, now: number): Promise<State> {
  const rows = await rowsWithLocks(db, id);
  const feature = rows[0] ?? (await findFeature(db, id));
  const held = rows.flatMap(({ held_resource, held_until }) => (held_resource !== null && (held_until ?? 0) > now ? [held_resource] : []));
  return stateOf({ feature, held: held.toSorted(), modes: modesOf(configuration, feature) });
}

/** Asked more often than anything else, so in one query: a row for each lock that was taken, or one without. */
const rowsWithLocks = fixed((db, id: string) =>
  db
    .selectFrom("features")
    .leftJoin("locks", "locks.holder", "features.id")
    .selectAll("features")
    .select(["locks.resource as held_resource", "locks.expires_at as held_until"])
    // In no order: SQLite would sort the whole rows, which takes longer than everything else.
    .where("features.id", "=", id),
);
