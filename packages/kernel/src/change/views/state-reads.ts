import type { Configuration } from "../../config/load.ts";
import { sql } from "kysely";
import { preparedQuery } from "../../record/database/prepared-query.ts";
import type { Db, Tx } from "../../record/database/tables.ts";
import type { FeatureDependencies } from "../feature/dependencies.ts";
import { stateOf, type FeatureState } from "../feature/state.ts";
import { findFeature, type Feature } from "../feature/store.ts";

export function modesOf({ gates }: Pick<Configuration, "gates">, { gate_profile }: Pick<Feature, "gate_profile">): string[] {
  return Object.keys(gates.profiles[gate_profile]?.modes ?? {});
}

/** The state of a feature as its rows have it now. */
export async function readState(
  dependencies: Pick<FeatureDependencies, "configuration">,
  db: Db | Tx,
  id: string,
  now: number,
): Promise<FeatureState> {
  return (await stateNow(dependencies, db, id, now)).state;
}

interface StateNow {
  readonly state: FeatureState;
  /** When the first of its locks expires: then the state changes without a write. */
  readonly until: number;
}

async function stateNow(
  { configuration }: Pick<FeatureDependencies, "configuration">,
  db: Db | Tx,
  id: string,
  now: number,
): Promise<StateNow> {
  const rows = await rowsWithLocks(db, id);
  const feature = rows[0] ?? (await findFeature(db, id));
  const inForce = rows.flatMap(({ held_resource, held_until }) =>
    held_resource !== null && (held_until ?? 0) > now ? [{ resource: held_resource, until: held_until ?? 0 }] : [],
  );
  const held = inForce.map(({ resource }) => resource).toSorted();
  return {
    state: stateOf({ feature, held, modes: modesOf(configuration, feature) }),
    until: Math.min(...inForce.map(({ until }) => until)),
  };
}

type Remembered = StateNow & { readonly writes: string; readonly at: number };

const remembered = new WeakMap<FeatureDependencies, Map<string, Remembered>>();
const MOST_REMEMBERED = 500;

/** Cached, because it is the most frequent read: without a write since, the state is the same. */
export async function currentState(dependencies: FeatureDependencies, id: string): Promise<FeatureState> {
  const { db, clock } = dependencies;
  const now = clock.now();
  const writes = await writesSeen(db);
  const states = remembered.get(dependencies) ?? new Map<string, Remembered>();
  remembered.set(dependencies, states);
  const known = states.get(id);
  if (known?.writes === writes && known.at <= now && now < known.until) return known.state;
  const next = await stateNow(dependencies, db, id, now);
  if (states.size >= MOST_REMEMBERED) states.clear();
  states.set(id, { ...next, writes, at: now });
  return next.state;
}

/** Changes with every write, by this connection or by another one. */
async function writesSeen(db: Db): Promise<string> {
  const [{ own, others } = { own: -1, others: -1 }] = await writeCounts(db);
  return `${own} ${others}`;
}

const writeCounts = preparedQuery((db) =>
  db.selectNoFrom([sql<number>`total_changes()`.as("own"), sql<number>`(select data_version from pragma_data_version)`.as("others")]),
);

/** One query, because it is the most frequent read: a row per held lock, or one row without a lock. */
const rowsWithLocks = preparedQuery((db, id: string) =>
  db
    .selectFrom("features")
    .leftJoin("locks", "locks.holder", "features.id")
    .selectAll("features")
    .select(["locks.resource as held_resource", "locks.expires_at as held_until"])
    // Unsorted: SQLite would sort whole rows, which is the slowest part of the query.
    .where("features.id", "=", id),
);
