import type { Failure } from "@slipway/durable/errors";
import { MODE } from "../judge/evidence/gate-queries.ts";
import type { Db } from "../../record/database/tables.ts";
import { REPOSITORY_STREAM } from "../../record/journal/repository.ts";
import type { Records } from "../../record/storage.ts";

/** Events on the way to the merges. Each fact is read from rows. */
export type Fact =
  | { readonly fact: "waited"; readonly feature_id: string; readonly for: readonly string[]; readonly over: readonly string[] }
  | { readonly fact: "locked"; readonly feature_id: string; readonly resources: readonly string[] }
  | { readonly fact: "refused"; readonly feature_id: string; readonly paths: readonly string[] }
  | { readonly fact: "repaired"; readonly feature_id: string; readonly mode: string; readonly failures: number };

export async function storyOf({ database: { db } }: Pick<Records, "database">): Promise<Fact[]> {
  return [...(await waits(db)), ...(await locks(db)), ...(await refusals(db)), ...(await repairs(db))];
}

const COLLISIONS = new Set(["collision_detected", "blocked_by_collision_policy"]);

/** A plan that collided and was accepted after the other features had landed. */
async function waits(db: Db): Promise<Fact[]> {
  const refused = (await failed(db, "plan.submit")).filter(({ failure }) => COLLISIONS.has(failure.code));
  const merges = new Map(
    (await db.selectFrom("merges").select(["feature_id", "at"]).execute()).map(({ feature_id, at }) => [feature_id, at]),
  );
  const plans = await db.selectFrom("plans").select(["feature_id", "accepted_at"]).execute();
  return refused.flatMap(({ feature_id, failure: { details } }): Fact[] => {
    const others = (details["conflicting_feature_ids"] ?? []) as string[];
    const accepted = plans.find((plan) => plan.feature_id === feature_id)?.accepted_at;
    const landed = others.every((id) => accepted !== undefined && (merges.get(id) ?? Number.POSITIVE_INFINITY) <= accepted);
    const over = ((details["collisions"] ?? []) as { resource: string }[]).map(({ resource }) => resource);
    return landed && merges.has(feature_id) ? [{ fact: "waited", feature_id, for: others, over }] : [];
  });
}

/** Locks a merged feature had taken, and that are free now. */
async function locks(db: Db): Promise<Fact[]> {
  const acquired = await db
    .selectFrom("events")
    .select("payload")
    .where("stream", "=", REPOSITORY_STREAM)
    .where("kind", "=", "operation")
    .where("name", "=", "locks.acquire")
    .orderBy("seq")
    .execute();
  const free = new Set(
    (await db.selectFrom("locks").select("resource").where("holder", "is", null).execute()).map(({ resource }) => resource),
  );
  const merged = new Set((await db.selectFrom("merges").select("feature_id").execute()).map(({ feature_id }) => feature_id));
  const taken = Map.groupBy(
    acquired.map(({ payload }) => (JSON.parse(payload) as { event: { feature_id: string; resources: string[] } }).event),
    ({ feature_id }) => feature_id,
  );
  return [...taken].flatMap(([feature_id, all]): Fact[] => {
    const resources = [...new Set(all.flatMap((event) => event.resources))];
    return merged.has(feature_id) && resources.every((resource) => free.has(resource)) ? [{ fact: "locked", feature_id, resources }] : [];
  });
}

/** A refused patch outside the plan, followed by an applied patch of the same feature. */
async function refusals(db: Db): Promise<Fact[]> {
  const applied = await db
    .selectFrom("operations")
    .select(["id", "started_at"])
    .where("name", "=", "repo.apply_patch")
    .where("status", "=", "finished")
    .execute();
  return (await failed(db, "repo.apply_patch")).flatMap(({ feature_id, at, failure }): Fact[] => {
    const violations = (failure.details["violations"] ?? []) as { rule: string; path: string }[];
    const paths = violations.filter(({ rule }) => rule.startsWith("not_in_files")).map(({ path }) => path);
    const obeyed = applied.some(({ id, started_at }) => featureOf(id) === feature_id && started_at >= at);
    return paths.length > 0 && obeyed ? [{ fact: "refused", feature_id, paths }] : [];
  });
}

/** A gate that failed first and passed later. */
async function repairs(db: Db): Promise<Fact[]> {
  const runs = await db
    .selectFrom("checks")
    .select(["feature_id", "name", "status", "at"])
    .where("kind", "=", MODE)
    .orderBy("at")
    .execute();
  const byGate = Map.groupBy(runs, ({ feature_id, name }) => JSON.stringify([feature_id, name]));
  return [...byGate].flatMap(([key, results]): Fact[] => {
    const [feature_id = "", mode = ""] = JSON.parse(key) as string[];
    const failures = results.filter(({ status }) => status === "fail").length;
    return failures > 0 && results.at(-1)?.status === "pass" ? [{ fact: "repaired", feature_id, mode, failures }] : [];
  });
}

async function failed(db: Db, name: string) {
  const rows = await db
    .selectFrom("operations")
    .select(["id", "failure", "started_at as at"])
    .where("name", "=", name)
    .where("status", "=", "failed")
    .orderBy("started_at")
    .execute();
  return rows.map(({ id, failure, at }) => ({ feature_id: featureOf(id), at, failure: JSON.parse(failure ?? "{}") as Failure }));
}

/** Operations of a run are named `<run>/feature:<id>/<step>`. */
function featureOf(operationId: string): string {
  return /\/feature:([^/]+)\//.exec(operationId)?.[1] ?? "";
}
