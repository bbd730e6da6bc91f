import type { Configuration } from "../../../config/load.ts";
import { preparedQuery } from "../../../record/database/prepared-query.ts";
import type { Db, Tx } from "../../../record/database/tables.ts";
import { heldLocks } from "../../turn/locks/store.ts";
import { queuedPlaces } from "../../turn/queue/store.ts";
import { indexContent, type FeatureIndex, type IndexContent } from "./index-value.ts";

const NAME = "repository";

/** Inside the transaction of a change: if the index now shows something else, that is its next version. */
export async function countIndex(tx: Tx, { policy }: Pick<Configuration, "policy">, at: number): Promise<void> {
  const content = JSON.stringify(
    indexContent({
      features: await shownFeatures(tx),
      leases: await heldLocks(tx),
      queue: await queuedPlaces(tx),
      resources: policy.locks.resources,
    }),
  );
  const [before] = await indexRow(tx);
  if (before?.content === content) return;
  const next = { version: (before?.version ?? 0) + 1, updated_at: at, content };
  await tx
    .insertInto("feature_index")
    .values({ name: NAME, ...next })
    .onConflict((conflict) => conflict.column("name").doUpdateSet(next))
    .execute();
}

const shownFeatures = preparedQuery((db) => db.selectFrom("features").select(["id", "status"]).orderBy("id"));
const indexRow = preparedQuery((db) => db.selectFrom("feature_index").select(["version", "content"]));
const versionRow = preparedQuery((db) => db.selectFrom("feature_index").select("version"));

/** Null as long as nothing was ever done here. */
export async function readIndex(db: Db | Tx): Promise<FeatureIndex | null> {
  const row = await db.selectFrom("feature_index").selectAll().executeTakeFirst();
  if (row === undefined) return null;
  const { version, updated_at, content } = row;
  return { version, updated_at: new Date(updated_at).toISOString(), ...(JSON.parse(content) as IndexContent) };
}

export async function indexVersion(db: Db): Promise<number> {
  return (await versionRow(db))[0]?.version ?? 0;
}
