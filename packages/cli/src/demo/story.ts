import type { Failure } from "@slipway/durable/errors";
import { MODE } from "@slipway/kernel/change/judge/evidence/gate-queries";
import { REPOSITORY_STREAM } from "@slipway/kernel/record/journal/repository";
import type { Records } from "@slipway/kernel/record/storage";

/** What a run has to tell besides its result. Each is read from rows; what the rows do not show is not told. */
export type Fact =
  | { readonly fact: "waited"; readonly feature_id: string; readonly for: readonly string[]; readonly over: readonly string[] }
  | { readonly fact: "locked"; readonly feature_id: string; readonly resources: readonly string[] }
  | { readonly fact: "refused"; readonly feature_id: string; readonly paths: readonly string[] }
  | { readonly fact: "repaired"; readonly feature_id: string; readonly mode: string; readonly failures: number };

type Db = Records["database"]["db"];

export async function storyOf({ database: { db } }: Records): Promise<Fact[]> {
  return [...(await waits(db)), ...(await locks(db)), ...(await refusals(db)), ...(await repairs(db))];
}

export function inWords(fact: Fact): string {
  switch (fact.fact) {
    case "waited":
      return `${fact.feature_id} waited until ${fact.for.join(" and ")} had landed: both change ${fact.over.join(", ")}`;
    case "locked":
      return `${fact.feature_id} held the lock ${fact.resources.join(", ")} until it was merged`;
    case "refused":
      return `${fact.feature_id} left its plan (${fact.paths.join(", ")}), was refused, and then kept to it`;
    case "repaired":
      return `${fact.feature_id} failed the ${fact.mode} gates ${fact.failures === 1 ? "once" : `${fact.failures} times`} and was repaired`;
  }
}

const COLLISIONS = new Set(["collision_detected", "blocked_by_collision_policy"]);

/** A plan that collided, and was accepted after the features in its way had landed. */
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

/** Locks a merged feature has taken, which nobody holds now. */
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

/** A patch outside the plan, and one of the same feature that was applied later. */
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

/** A gate that was red, and green later. */
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
