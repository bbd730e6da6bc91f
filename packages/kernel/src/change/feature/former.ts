import type { Selectable } from "kysely";
import type { Db, Tx } from "../../record/database/tables.ts";
import { recordFact } from "../../record/facts/collect.ts";
import type { FeaturesTables } from "./tables.ts";

type Row = Selectable<FeaturesTables["deleted_features"]>;

/** A deleted feature, as it was when it was deleted. Its evidence is stored under `label`, which is not a valid feature id. */
export interface Former extends Omit<Row, "merge"> {
  /** Counts deleted features of the same id, from 1. */
  readonly number: number;
  readonly merge: FeaturesTables["merges"] | null;
}

export async function keepFormer(tx: Tx, { merge, ...row }: Omit<Former, "number">): Promise<void> {
  const stored: Row = { ...row, merge: merge === null ? null : JSON.stringify(merge) };
  await tx.insertInto("deleted_features").values(stored).execute();
  recordFact(tx, "deleted_features", stored.label, stored);
}

/** Deleted features with this id, oldest first. */
export async function formerFeatures(db: Db | Tx, id: string): Promise<Former[]> {
  const rows = await db.selectFrom("deleted_features").selectAll().where("id", "=", id).orderBy("deleted_at").orderBy("label").execute();
  return rows.map((row, index) => ({
    ...row,
    number: index + 1,
    merge: row.merge === null ? null : (JSON.parse(row.merge) as FeaturesTables["merges"]),
  }));
}

/** The name shown to people, such as `search@1`. */
export function formerName({ id, number }: Pick<Former, "id" | "number">): string {
  return `${id}@${number}`;
}
