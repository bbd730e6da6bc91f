import type { BoardLock, FeatureFacts, Wait } from "./board.ts";
import type { FeatureRow } from "./feature-rows.ts";
import { pauseOf } from "./limits.ts";
import type { Row } from "./snapshot.ts";

export interface WaitFacts {
  /** Plans that wait for others: `id`, `features` and `files` (JSON), `locks` (JSON). */
  readonly plans: readonly Row[];
  /** Runs whose last event is a refused lock. */
  readonly refusals: readonly Row[];
  /** Runs that wait for the end of a provider's limit. */
  readonly pauses: readonly Row[];
  readonly locks: readonly BoardLock[];
  /** Features whose last approval question was answered with yes. */
  readonly approved: ReadonlySet<string>;
}

/** Answers to approval questions, oldest first. */
export const APPROVALS = `
  SELECT json_extract(context, '$.feature_id') AS feature, json_extract(answer, '$.decision') AS decision
  FROM questions WHERE kind = 'approval' AND status = 'answered' ORDER BY answered_at`;

export function approvedIn(rows: readonly Row[]): ReadonlySet<string> {
  const last = new Map(rows.map(({ feature, decision }) => [String(feature), decision]));
  return new Set([...last].filter(([, decision]) => decision === "approve").map(([feature]) => feature));
}

/** Files that both plans have; `features` are those that block the plan. */
export const PLANS_IN_THE_QUEUE = plansThatWait("blocked_queue", "waits_for", "required_resources");
export const PLANS_THAT_WAIT = plansThatWait("waits", "blockers", "'[]'");

function plansThatWait(table: string, features: string, locks: string): string {
  const paths = ["create", "modify", "delete"].map((operation) => `SELECT value FROM json_each(w.plan, '$.files.${operation}')`);
  return `
    SELECT w.feature_id AS id, w.${features} AS features, ${locks} AS locks,
           (SELECT json_group_array(DISTINCT c.resource) FROM plan_claims c
            WHERE c.feature_id IN (SELECT value FROM json_each(w.${features})) AND c.resource IN (${paths.join(" UNION ")})) AS files
    FROM ${table} w`;
}

/** Runs whose last event is a retry because of a lock. */
export const LOCK_REFUSALS = `
  SELECT e.stream, e.payload FROM heads h JOIN events e ON e.stream = h.stream AND e.seq = h.seq
  WHERE e.kind = 'retry' AND json_extract(e.payload, '$.failure.code') = 'lock_conflict'`;

/** An open question comes first: nothing else continues before it is answered. */
export function waitFor({ facts, question, planned }: FeatureRow, waits: WaitFacts): Wait | null {
  const { id, status } = facts;
  if (planned?.part === "none") return { for: "slot" };
  if (question !== null) return { for: "person", question: question.id, number: question.number, kind: question.kind };
  const pause = pauseOf(id, waits.pauses);
  if (pause !== null) return pause;
  const refused = waits.refusals.find(({ stream }) => String(stream).endsWith(`/feature:${id}`));
  if (refused !== undefined) return lockOf(String(refused["payload"]));
  if (status === "ready_to_merge") return waits.approved.has(id) ? { for: "landing" } : null;
  const plan = waits.plans.find((row) => row["id"] === id);
  return plan === undefined ? null : otherFeatures(facts, plan, waits.locks);
}

function otherFeatures({ id: feature, reason }: FeatureFacts, plan: Row, locks: readonly BoardLock[]): Wait {
  const features = names(plan["features"]);
  const files = names(plan["files"]);
  const namedResources = files.length > 0 ? [] : resourcesIn(reason);
  const resources = [...files, ...namedResources];
  if (namedResources.length > 0 && namedResources.every((what) => what.startsWith(LOCK)))
    return { for: "lock", features, resources: namedResources.map((what) => what.slice(LOCK.length)) };
  const held = locks.filter(({ resource, holder }) => names(plan["locks"]).includes(resource) && holder !== null && holder !== feature);
  if (resources.length === 0 && held.length > 0) return { for: "lock", features, resources: held.map(({ resource }) => resource) };
  return { for: "feature", features, resources };
}

const LOCK = "lock ";

/** The resources other than files that a feature waits for, parsed from its reason: `waits for first: contract openapi, lock events`. */
function resourcesIn(reason: string): string[] {
  return /^waits for [^:]+: (.+)$/.exec(reason)?.[1]?.split(", ") ?? [];
}

function lockOf(payload: string): Wait {
  const { failure } = JSON.parse(payload) as { failure: { details: { held: { resource: string; holder: string }[] } } };
  const { held } = failure.details;
  return { for: "lock", resources: held.map(({ resource }) => resource), features: held.map(({ holder }) => holder) };
}

function names(json: unknown): string[] {
  return JSON.parse(String(json)) as string[];
}
