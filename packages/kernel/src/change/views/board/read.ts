import type { Sqlite } from "@slipway/durable/sqlite";
import type { Layout } from "../../../host/layout.ts";
import type { BoardNotification, BoardRun, FeatureBoard } from "./board.ts";
import { readFeatureRows } from "./feature-rows.ts";
import { BUDGETS, boardBudget, PAUSES } from "./limits.ts";
import { readSnapshot, type From, type Row } from "./snapshot.ts";
import { APPROVALS, approvedIn, LOCK_REFUSALS, PLANS_IN_THE_QUEUE, PLANS_THAT_WAIT, waitFor, type WaitFacts } from "./wait.ts";

export function readBoardRows(sqlite: Sqlite, { objects }: Layout, now: number): Omit<FeatureBoard, "repository"> {
  return readSnapshot(sqlite, (from) => {
    const { features, questions, locks } = readFeatureRows(from, objects, now);
    const waits: WaitFacts = {
      locks,
      plans: [...from("blocked_queue", PLANS_IN_THE_QUEUE), ...from("waits", PLANS_THAT_WAIT)],
      refusals: from("events", LOCK_REFUSALS),
      pauses: from("events", PAUSES),
      approved: approvedIn(from("questions", APPROVALS)),
    };
    const underWay = operationsUnderWay(from);
    return {
      features: features.map((row) => ({ ...row.facts, at_work: underWay.get(row.facts.id) ?? null, waits_for: waitFor(row, waits) })),
      runs: from("runs", RUNS).map((row) => row as unknown as BoardRun),
      questions,
      locks,
      budgets: from("budgets", BUDGETS).map(boardBudget),
      notifications: from("notifications", undelivered(now)).map((row) => row as unknown as BoardNotification),
    };
  });
}

const RUNS = `
  SELECT run_id AS id, workflow AS protocol, status, created_at, finished_at, lease_pid AS owner_pid
  FROM runs WHERE parent_run_id IS NULL ORDER BY created_at DESC, run_id LIMIT 20`;

/** A message that was marked and has no outcome after this time belonged to a process that ended. */
const ON_ITS_WAY_MS = 60_000;

const undelivered = (now: number) => `
  SELECT event, channel, coalesce(reason, 'Slipway ended while it was sent; it may have arrived') AS reason, at
  FROM notifications AS one
  WHERE (status = 'failed' OR (status = 'marked' AND at < ${Math.floor(now) - ON_ITS_WAY_MS}))
    AND NOT EXISTS (SELECT 1 FROM notifications AS later WHERE later.channel = one.channel AND later.status = 'sent' AND later.at > one.at)
  ORDER BY at DESC, id LIMIT 5`;

const UNDER_WAY = "SELECT id, started_at AS since FROM operations WHERE status = 'started' AND claim IS NOT NULL ORDER BY started_at";

interface Work {
  readonly step: string;
  readonly since: number;
}

function operationsUnderWay(from: From): ReadonlyMap<string, Work> {
  return new Map(from("operations", UNDER_WAY).flatMap(workOf));
}

/** An operation of a run is named after its step: `<run>/feature:<id>/<step>`. */
function workOf({ id, since }: Row): [string, Work][] {
  const [, feature, step] = /\/feature:([^/]+)\/(.+)$/.exec(String(id)) ?? [];
  return feature === undefined || step === undefined ? [] : [[feature, { step, since: Number(since) }]];
}
