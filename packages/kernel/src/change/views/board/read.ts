import type { Sqlite } from "@slipway/durable/sqlite";
import type { Layout } from "../../../host/layout.ts";
import type { BoardFeature, FeatureBoard, BoardLock, BoardQuestion, BoardRun } from "./board.ts";
import { BUDGETS, boardBudget, PAUSES } from "./limits.ts";
import { plannedIn, UNFINISHED_RUNS, type PlannedFeature } from "./planned-features.ts";
import {
  APPROVALS,
  approvedIn,
  LOCK_REFUSALS,
  PLANS_IN_THE_QUEUE,
  PLANS_THAT_WAIT,
  waitFor,
  type WaitRow,
  type WaitFacts,
} from "./wait.ts";

/** Everything in one read transaction, so that the parts fit each other. Nobody else may use the connection meanwhile. */
export function readBoardRows(sqlite: Sqlite, layout: Layout, now: number): Omit<FeatureBoard, "repository"> {
  sqlite.prepare("BEGIN").run();
  try {
    return read(sqlite, layout, now);
  } finally {
    sqlite.prepare("COMMIT").run();
  }
}

function read(sqlite: Sqlite, layout: Layout, now: number): Omit<FeatureBoard, "repository"> {
  const tables = new Set(rows(sqlite, "SELECT name FROM sqlite_master WHERE type = 'table'").map(({ name }) => name));
  // A database that an earlier version has left may lack some, and nothing is changed here.
  const from = (table: string, sql: string): WaitRow[] => (tables.has(table) ? rows(sqlite, sql) : []);
  const locks = from("locks", LOCKS).map((row) => row as unknown as BoardLock);
  const questions = from("questions", QUESTIONS).map(questionGlance);
  const facts: Facts = {
    now,
    underWay: new Map(from("operations", UNDER_WAY).flatMap(workOf)),
    gates: new Map(from("gate_runs", LAST_GATES).map((row) => [String(row["feature_id"]), row])),
    waits: {
      questions,
      locks,
      plans: [...from("blocked_queue", PLANS_IN_THE_QUEUE), ...from("waits", PLANS_THAT_WAIT)],
      refusals: from("events", LOCK_REFUSALS),
      pauses: from("events", PAUSES),
      approved: approvedIn(from("questions", APPROVALS)),
    },
  };
  const features = from("features", FEATURES).map((row) => featureGlance(row, facts));
  const started = new Set(features.map(({ id }) => id));
  const others = from("events", UNFINISHED_RUNS)
    .flatMap((row) => plannedIn(row, layout.objects))
    .filter(({ id }) => !started.has(id));
  return {
    features: [...features, ...others.map((planned) => notStarted(planned, facts))].toSorted((left, right) =>
      left.id < right.id ? -1 : 1,
    ),
    runs: from("runs", RUNS).map((row) => row as unknown as BoardRun),
    questions,
    locks,
    budgets: from("budgets", BUDGETS).map(boardBudget),
  };
}

interface Facts {
  readonly now: number;
  readonly underWay: ReadonlyMap<string, { readonly step: string; readonly since: number }>;
  readonly gates: ReadonlyMap<string, WaitRow>;
  readonly waits: WaitFacts;
}

const FEATURES = `
  SELECT f.*, m.commit_sha AS merged_as,
         (SELECT coalesce(sum(t.cost_usd), 0) FROM telemetry t WHERE t.feature_id = f.id) AS cost_usd
  FROM features f LEFT JOIN merges m ON m.feature_id = f.id`;

const RUNS = `
  SELECT run_id AS id, workflow AS protocol, status, created_at, finished_at, lease_pid AS owner_pid
  FROM runs WHERE parent_run_id IS NULL ORDER BY created_at DESC, run_id LIMIT 20`;

const QUESTIONS = `
  SELECT id, number, kind, title, json_extract(context, '$.feature_id') AS feature, options, asked_at
  FROM (SELECT *, row_number() OVER (ORDER BY asked_at, id) AS number FROM questions) WHERE status = 'open' ORDER BY number`;

const LOCKS = `
  SELECT resource, holder, lease_id, token, CASE WHEN holder IS NULL THEN NULL ELSE expires_at END AS expires_at
  FROM locks ORDER BY resource`;

const LAST_GATES = `
  SELECT g.feature_id, g.mode, g.status, g.tree, g.at FROM features f JOIN gate_runs g ON g.id =
    (SELECT n.id FROM gate_runs n WHERE n.feature_id = f.id AND n.status != 'cancelled' ORDER BY n.at DESC, n.id DESC LIMIT 1)`;

const UNDER_WAY = "SELECT id, started_at AS since FROM operations WHERE status = 'started' AND claim IS NOT NULL ORDER BY started_at";

/** An operation of a run is named after its step: `<run>/feature:<id>/<step>`. */
function workOf({ id, since }: WaitRow): [string, { step: string; since: number }][] {
  const [, feature, step] = /\/feature:([^/]+)\/(.+)$/.exec(String(id)) ?? [];
  return feature === undefined || step === undefined ? [] : [[feature, { step, since: Number(since) }]];
}

function featureGlance(row: WaitRow, { now, underWay, gates, waits }: Facts): BoardFeature {
  const id = String(row["id"]);
  const gate = gates.get(id);
  return {
    id,
    status: String(row["status"]),
    reason: String(row["status_reason"]),
    run: String(row["run_id"]),
    gates: JSON.parse(String(row["gates"])) as Record<string, string>,
    last_gate:
      gate === undefined
        ? null
        : { mode: String(gate["mode"]), passed: gate["status"] === "pass", current: gate["tree"] === row["tree"], at: Number(gate["at"]) },
    tree: String(row["tree"]),
    merged_as: row["merged_as"] === null ? null : String(row["merged_as"]),
    cost_usd: Number(row["cost_usd"]),
    locks: waits.locks.filter(({ holder, expires_at }) => holder === id && Number(expires_at) > now).map(({ resource }) => resource),
    at_work: underWay.get(id) ?? null,
    waits_for: waitFor({ id, status: String(row["status"]), reason: String(row["status_reason"]) }, waits),
    updated_at: Number(row["updated_at"]),
  };
}

function notStarted({ id, run, at, part }: PlannedFeature, { underWay, waits }: Facts): BoardFeature {
  const nothing = { gates: {}, last_gate: null, tree: null, merged_as: null, cost_usd: 0, locks: [] };
  const [status, reason] = part === "over" ? ["failed", "it ended before it had begun"] : ["waiting", ""];
  const waits_for = part === "none" ? ({ for: "slot" } as const) : waitFor({ id, status, reason }, waits);
  return { id, status, reason, run, ...nothing, at_work: underWay.get(id) ?? null, waits_for, updated_at: at };
}

function questionGlance(row: WaitRow): BoardQuestion {
  return { ...(row as unknown as BoardQuestion), options: JSON.parse(String(row["options"])) as BoardQuestion["options"] };
}

function rows(sqlite: Sqlite, sql: string): WaitRow[] {
  return sqlite.prepare(sql).all();
}
