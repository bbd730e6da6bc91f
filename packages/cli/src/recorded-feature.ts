import { SlipwayError } from "@slipway/durable/errors";
import type { EvidencedFeature } from "@slipway/kernel/change/judge/evidence/bundle";
import { formerFeatures, formerName, type Former } from "@slipway/kernel/change/feature/former";
import { featureIfAny, findFeature } from "@slipway/kernel/change/feature/store";
import type { FeaturesTables } from "@slipway/kernel/change/feature/tables";
import type { Records } from "@slipway/kernel/record/storage";
import { chooseFeature } from "@slipway/runtime/choose";

/** A feature that there is or was. */
export interface Recorded {
  readonly feature: EvidencedFeature;
  /** What its checks and telemetry are filed under. */
  readonly label: string;
  readonly merge: FeaturesTables["merges"] | null;
}

/** By its name, the newest of that name; `search@1` is the first one that was deleted. */
export async function recordedFeature(records: Records, name: string | undefined): Promise<Recorded> {
  const { db } = records.database;
  const [, id, number] = /^(.+)@(\d+)$/.exec(name ?? "") ?? [];
  if (id !== undefined) return ofFormer(await formerNumber(records, id, Number(number)), []);
  const former = name === undefined ? [] : await formerFeatures(db, name);
  const newest = former.at(-1);
  if (name !== undefined && newest !== undefined && (await featureIfAny(db, name)) === undefined)
    return ofFormer(newest, former.slice(0, -1));
  const feature = await chooseFeature(records, name);
  const merge = await db.selectFrom("merges").selectAll().where("feature_id", "=", feature.id).executeTakeFirst();
  const earlier = name === undefined ? await formerFeatures(db, feature.id) : former;
  return { feature: { ...feature, ...earlierOf(earlier) }, label: feature.id, merge: merge ?? null };
}

async function formerNumber({ database: { db } }: Records, id: string, number: number): Promise<Former> {
  const all = await formerFeatures(db, id);
  const found = all.find((former) => former.number === number);
  if (found !== undefined) return found;
  if (all.length === 0) await findFeature(db, id);
  throw new SlipwayError("feature_not_found", `There is no deleted feature "${id}@${number}".`, {
    feature_id: id,
    suggested_next_actions: all.length === 0 ? [`slipway evidence ${id}`] : [`There are ${all.map(formerName).join(", ")}.`],
  });
}

function ofFormer(
  { id, run_id, status, tree, label, merge, deleted_at: at, deleted_by: by }: Former,
  earlier: readonly Former[],
): Recorded {
  return { feature: { id, run_id, status, tree, deleted: { at, by }, ...earlierOf(earlier) }, label, merge };
}

function earlierOf(former: readonly Former[]): Pick<EvidencedFeature, "earlier"> {
  return former.length === 0 ? {} : { earlier: former.map(formerName) };
}
